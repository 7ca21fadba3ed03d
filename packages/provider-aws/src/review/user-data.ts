import { readMime } from '../user-data/mime-reader.ts';
import { looksLikeMime, type MimePart, NODE_CONFIG } from '../user-data/mime.ts';
import { isNodeConfig } from '../user-data/al2023.ts';
import { reviewBottlerocket } from './bottlerocket.ts';
import { reviewNodeConfig } from './node-config.ts';
import { below, doubtful, lineAt, type TextRemark, wrong } from './remark.ts';
import { reviewPowerShell, reviewShellScript } from './script.ts';

/** EC2's limit, in bytes before base64. */
const MOST_BYTES = 16384;

/** What is wrong with the user data of a NodeClass of this AMI family, or hardly meant. */
export function reviewUserData(userData: string, family: string): readonly TextRemark[] {
  const bytes = Buffer.byteLength(userData);
  const size = bytes > MOST_BYTES ? [wrong(`user data has ${bytes} bytes, but EC2 takes ${MOST_BYTES}`)] : [];
  return [...size, ...reviewFor(family, userData)];
}

function reviewFor(family: string, userData: string): readonly TextRemark[] {
  if (userData.trim() === '') return [];
  switch (family) {
    case 'Bottlerocket':
      return reviewBottlerocket(userData);
    case 'Windows2019':
    case 'Windows2022':
    case 'Windows2025':
      return reviewPowerShell(userData);
    case 'Custom':
      return reviewCustom(userData);
    default:
      return looksLikeMime(userData) ? reviewMime(userData, family) : reviewText(userData, family);
  }
}

/** Karpenter adds nothing to it, so it has to do all that other families get. */
function reviewCustom(userData: string): readonly TextRemark[] {
  if (userData.includes('karpenter.sh/unregistered')) return [];
  return [
    doubtful('nodes of a Custom family must register with the taint karpenter.sh/unregistered:NoExecute', {
      hint: 'have the user data pass --register-with-taints=karpenter.sh/unregistered:NoExecute, unless the image does',
    }),
  ];
}

/** Text that is no archive: a NodeConfig for AL2023 if it looks like one, else a script. */
function reviewText(text: string, family: string): readonly TextRemark[] {
  const isScript = family !== 'AL2023' || text.trimStart().startsWith('#!') || !isNodeConfig(text);
  return isScript ? reviewShellScript(text, family) : reviewNodeConfig(text);
}

function reviewMime(text: string, family: string): readonly TextRemark[] {
  let parts: readonly MimePart[];
  try {
    parts = readMime(text);
  } catch (error) {
    return [wrong(`not a MIME archive that can be read: ${(error as Error).message}`, { textLine: 1 })];
  }
  if (parts.length === 0) {
    const hint = 'begin each part with -- and the boundary of the Content-Type';
    return [wrong('the MIME archive has no parts', { hint, textLine: 1 })];
  }
  let from = 0;
  return parts.flatMap((part) => {
    const body = Buffer.from(part.body, 'latin1').toString();
    const at = text.indexOf(body, from); // missing where the part was decoded
    if (at !== -1) from = at + body.length;
    return below(reviewPart(part, body, family), lineAt(text, at === -1 ? from : at) - 1);
  });
}

/** Of cloud-init, besides scripts: these say what they are, and are not looked into. */
const OTHER_TYPES: ReadonlySet<string> = new Set([
  'text/cloud-boothook',
  'text/cloud-config',
  'text/cloud-config-archive',
  'text/jinja2',
  'text/part-handler',
  'text/upstart-job',
  'text/x-include-once-url',
  'text/x-include-url',
]);

function reviewPart({ headers }: MimePart, body: string, family: string): readonly TextRemark[] {
  const header = (name: string): string => headers.find(([one]) => one === name)?.[1] ?? '';
  const type = (header('Content-Type').split(';')[0] ?? '').trim().toLowerCase();
  const encoding = header('Content-Transfer-Encoding').toLowerCase();
  if (encoding === 'base64') {
    if (family !== 'AL2023') return [];
    return [
      wrong('the encoding base64 of a part is lost on the way', { hint: 'write the part as it is', textLine: 1 }),
    ];
  }
  if (type === NODE_CONFIG) {
    if (family === 'AL2023') return reviewNodeConfig(body);
    return [doubtful(`nobody reads a part of type ${NODE_CONFIG} on ${family}`, { textLine: 1 })];
  }
  if (type === 'text/x-shellscript' || type.startsWith('text/x-shellscript-')) return reviewShellScript(body, family);
  if (OTHER_TYPES.has(type)) return [];
  const known = ['text/x-shellscript', 'text/cloud-config', ...(family === 'AL2023' ? [NODE_CONFIG] : [])];
  const what = type === '' ? 'a part without a Content-Type' : `a part of type ${type}`;
  return [doubtful(`nobody reads ${what}`, { hint: `types are ${known.join(', ')}`, textLine: 1 })];
}
