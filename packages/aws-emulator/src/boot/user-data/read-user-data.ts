import { readAl2 } from './al2.ts';
import { readAl2023 } from './al2023.ts';
import { type BootInstructions, type ImageFamily, JoinError } from './boot-instructions.ts';
import { readBottlerocket } from './bottlerocket.ts';
import { readWindows } from './windows.ts';

/** What user data tells an instance of an image of this family. Throws a JoinError when no kubelet comes of it. */
export function readUserData(family: ImageFamily, text: string): BootInstructions {
  switch (family) {
    case 'AL2':
      return readAl2(text);
    case 'AL2023':
      return readAl2023(text);
    case 'Bottlerocket':
      return readBottlerocket(text);
    case 'Windows':
      return readWindows(text);
    case 'Custom':
      return readCustom(text);
    default:
      return family satisfies never;
  }
}

/** In the order in which the forms are told apart: TOML and YAML would take much for theirs. */
const FORMS: readonly [read: (text: string) => BootInstructions, isLikely: (text: string) => boolean][] = [
  [readWindows, (text) => /<powershell>/i.test(text)],
  [readAl2, (text) => text.includes('/eks/bootstrap.sh')],
  [readAl2023, (text) => text.includes('NodeConfig')],
  [readBottlerocket, (text) => /^\s*\[settings/m.test(text)],
];

/** Nobody knows how an image of one's own boots: it is taken for one of the family in whose form its user data is. */
function readCustom(text: string): BootInstructions {
  const form = FORMS.find(([, isLikely]) => isLikely(text));
  if (form === undefined) throw new JoinError({ kind: 'no-bootstrap', family: 'Custom' });
  return form[0](text);
}

/** The family of an image by its name, as EKS and Bottlerocket name theirs. */
export function familyOfImage(name: string): ImageFamily {
  if (name.startsWith('amazon-eks-node-al2023-')) return 'AL2023';
  if (/^amazon-eks-((gpu|arm64)-)?node-\d/.test(name)) return 'AL2';
  if (name.startsWith('bottlerocket-')) return 'Bottlerocket';
  return /^Windows_Server-.*-EKS_Optimized-/.test(name) ? 'Windows' : 'Custom';
}
