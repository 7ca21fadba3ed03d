import { JoinError } from './boot-instructions.ts';

/** One part of user data: with one part only, all of it. */
export interface Part {
  /** Without parameters, in lower case; empty where none is given. */
  readonly contentType: string;
  readonly body: string;
}

/** Whether the text begins with headers of a mail, as user data of several parts does. */
export function isMime(text: string): boolean {
  return /^\s*(mime-version|content-type)\s*:/i.test(text);
}

/** The parts of a MIME text, nested ones too, in their order. Throws a JoinError when it is not multipart. */
export function mimeParts(text: string): readonly Part[] {
  const { headers, body } = splitHeaders(text.trimStart());
  const contentType = headers.get('content-type') ?? '';
  const boundary = parameterOf(contentType, 'boundary');
  if (!mediaType(contentType).startsWith('multipart/') || boundary === undefined) {
    throw new JoinError({ kind: 'unreadable', format: 'MIME', detail: `not multipart: ${contentType}` });
  }
  return bodies(body, boundary).flatMap(partsOf);
}

function partsOf(text: string): readonly Part[] {
  const { headers, body } = splitHeaders(text);
  const contentType = mediaType(headers.get('content-type') ?? '');
  if (contentType.startsWith('multipart/')) return mimeParts(text);
  return [{ contentType, body: decode(body, headers.get('content-transfer-encoding') ?? '') }];
}

/** The texts between the lines that are the boundary; what stands before the first and after the closing one is not read. */
function bodies(text: string, boundary: string): readonly string[] {
  const found: string[][] = [];
  for (const line of text.split(/\r?\n/)) {
    const marker = line.trimEnd();
    if (marker === `--${boundary}--`) break;
    if (marker === `--${boundary}`) found.push([]);
    else found.at(-1)?.push(line);
  }
  return found.map((lines) => lines.join('\n'));
}

interface Headers {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Headers end at the first line that is empty. A line that begins with a blank goes on with the header before it. */
function splitHeaders(text: string): Headers {
  const lines = text.split(/\r?\n/);
  const headers = new Map<string, string>();
  let name = '';
  let at = 0;
  for (; at < lines.length && lines[at] !== ''; at++) {
    const line = lines[at]!;
    const colon = line.indexOf(':');
    if (/^\s/.test(line)) headers.set(name, `${headers.get(name) ?? ''} ${line.trim()}`);
    else if (colon > 0) headers.set((name = line.slice(0, colon).trim().toLowerCase()), line.slice(colon + 1).trim());
  }
  return { headers, body: lines.slice(at + 1).join('\n') };
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase();
}

function parameterOf(contentType: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(contentType);
  return match?.[1] ?? match?.[2];
}

function decode(body: string, encoding: string): string {
  switch (encoding.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString('utf8');
    case 'quoted-printable':
      return unquote(body);
    default:
      return body;
  }
}

function unquote(body: string): string {
  const bytes = body
    .replaceAll(/=\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
