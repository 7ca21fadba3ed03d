import { Command, Option } from 'commander';
import { type Io, MANIFEST_LIMIT, readManifests } from '../io.ts';
import { renderJson, renderText } from '../render/check.ts';

interface Flags {
  readonly output: 'text' | 'json';
  readonly provider: 'auto' | 'aws' | 'kwok' | 'core';
  readonly clusterCaBundle?: string;
}

export function checkCommand(io: Io): Command {
  return new Command('check')
    .description('Validate manifests offline, with the verdict and the words of the API server and the controller.')
    .argument('<file...>', 'YAML or JSON files, folders of them, or - for standard input')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addOption(
      new Option('--provider <name>', 'whose CRDs to check against; auto goes by the nodeClassRef')
        .choices(['auto', 'aws', 'kwok', 'core'])
        .default('auto'),
    )
    .option('--cluster-ca-bundle <base64>', "the controller's flag of that name; part of an EC2NodeClass's hash")
    .action(async (names: string[], { output, ...options }: Flags, command: Command) => {
      if (names.filter((name) => name === '-').length > 1) {
        command.error('error: standard input can be read once: name - once', { exitCode: 2 });
      }
      const { checkManifests } = await import('@karpenter-ts/apis/manifests');
      const checked = checkManifests(await readManifests(io, names, MANIFEST_LIMIT), options);
      io.stdout.write(output === 'json' ? renderJson(checked) : renderText(checked));
      io.exitCode = checked.every(({ valid }) => valid) ? 0 : 1;
    });
}
