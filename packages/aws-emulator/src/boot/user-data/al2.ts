import { type BootInstructions, JoinError } from './boot-instructions.ts';
import { UNTOLD, withArguments } from './kubelet-arguments.ts';
import { isMime, mimeParts } from './mime-parts.ts';
import { shellCommands, shellWords } from './shell-words.ts';

/** Amazon Linux 2: cloud-init runs the shell scripts, and one of them runs /etc/eks/bootstrap.sh. */
export function readAl2(text: string): BootInstructions {
  const words = bootstrapArguments(text);
  if (words === undefined) throw new JoinError({ kind: 'no-bootstrap', family: 'AL2' });
  const { options, name } = readArguments(words);
  const told = ['apiserver-endpoint', 'b64-cluster-ca'].every((option) => options.get(option));
  const clusterDns = options.get('dns-cluster-ip')?.split(',') ?? [];
  return {
    family: 'AL2',
    cluster: {
      name,
      // Unless it is told both, bootstrap.sh asks EKS for both.
      endpoint: told ? options.get('apiserver-endpoint') : undefined,
      certificateAuthority: told ? options.get('b64-cluster-ca') : undefined,
    },
    kubelet: withArguments(
      // Without the script's own number the kubelet's default holds.
      { ...UNTOLD, clusterDns, maxPods: options.get('use-max-pods') === 'false' ? KUBELET_MAX_PODS : undefined },
      shellWords(options.get('kubelet-extra-args') ?? ''),
    ),
    localDisks: options.get('local-disks') === 'raid0' ? 'raid0' : 'unused',
  };
}

const KUBELET_MAX_PODS = 110;

/** The arguments of the first call: a kubelet that runs is not started again. */
function bootstrapArguments(text: string): readonly string[] | undefined {
  for (const script of scripts(text)) {
    for (const command of shellCommands(script)) {
      const at = command.findIndex((word) => word.endsWith('/eks/bootstrap.sh'));
      if (at !== -1) return command.slice(at + 1);
    }
  }
  return undefined;
}

/** What cloud-init runs: parts that say they are scripts, or look like one. */
function scripts(text: string): readonly string[] {
  const parts = isMime(text) ? mimeParts(text) : [{ contentType: '', body: text }];
  return parts
    .filter(({ contentType, body }) => contentType === 'text/x-shellscript' || body.startsWith('#!'))
    .map(({ body }) => body);
}

interface Arguments {
  readonly options: ReadonlyMap<string, string>;
  /** The first argument that belongs to no option. */
  readonly name: string;
}

/** Each option takes the next word, whatever it is. */
function readArguments(words: readonly string[]): Arguments {
  const options = new Map<string, string>();
  let name: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const option = words[at]!;
    if (OPTIONS.has(option)) options.set(option.slice(2), words[++at] ?? '');
    else name ??= option;
  }
  return { options, name: name ?? '' };
}

const OPTIONS: ReadonlySet<string> = new Set([
  '--apiserver-endpoint',
  '--aws-api-retry-attempts',
  '--b64-cluster-ca',
  '--cluster-id',
  '--container-runtime',
  '--containerd-config-file',
  '--dns-cluster-ip',
  '--docker-config-json',
  '--enable-docker-bridge',
  '--enable-local-outpost',
  '--ip-family',
  '--kubelet-extra-args',
  '--local-disks',
  '--mount-bpf-fs',
  '--pause-container-account',
  '--pause-container-version',
  '--service-ipv6-cidr',
  '--use-max-pods',
]);
