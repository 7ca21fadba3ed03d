import { Command, Option } from 'commander';
import { type Io, MANIFEST_LIMIT, readManifests } from '../io.ts';
import { renderJson, renderText } from '../render/check.ts';
import { renderPoliciesJson, renderPoliciesText } from '../render/iam.ts';

interface Flags {
  readonly output: 'text' | 'json';
  readonly provider: 'auto' | 'aws' | 'kwok' | 'core';
  readonly clusterCaBundle?: string;
  readonly iam?: readonly string[];
  readonly clusterName?: string;
  readonly kubernetesVersion?: string;
}

const VERSION = /^v?(\d+\.\d+)(?:[.+-].*)?$/;

export function checkCommand(io: Io): Command {
  return new Command('check')
    .description('Validate manifests offline, with the verdict and the words of the API server and the controller.')
    .argument('[file...]', 'YAML or JSON files, folders of them, or - for standard input')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addOption(
      new Option('--provider <name>', 'whose CRDs to check against; auto goes by the nodeClassRef')
        .choices(['auto', 'aws', 'kwok', 'core'])
        .default('auto'),
    )
    .option('--cluster-ca-bundle <base64>', "the controller's flag of that name; part of an EC2NodeClass's hash")
    .option('--iam <file...>', "what policies of IAM lack for the controller's role; - for standard input")
    .option('--cluster-name <name>', 'with --iam: the cluster, if not the one that the policies name')
    .option('--kubernetes-version <version>', "the cluster's, such as 1.35; decides which AMI aliases there are")
    .action(async (names: string[], flags: Flags, command: Command) => {
      const { output, iam, clusterName, kubernetesVersion: given, ...options } = flags;
      if (iam !== undefined) {
        if (names.length > 0) command.error('error: --iam checks policies alone: name no manifests', { exitCode: 2 });
        return checkIam(io, iam, { output, clusterName });
      }
      if (names.length === 0) command.error("error: missing required argument 'file'", { exitCode: 2 });
      if (names.filter((name) => name === '-').length > 1) {
        command.error('error: standard input can be read once: name - once', { exitCode: 2 });
      }
      const kubernetesVersion = given === undefined ? undefined : VERSION.exec(given)?.[1];
      if (given !== undefined && kubernetesVersion === undefined) {
        command.error(`error: ${given} is no version of Kubernetes such as 1.35`, { exitCode: 2 });
      }
      const { checkManifests } = await import('@karpenter-ts/apis/manifests');
      const { reviewNodeClass } = await import('@karpenter-ts/provider-aws/review');
      const checked = checkManifests(await readManifests(io, names, MANIFEST_LIMIT), {
        ...options,
        reviewNodeClass: (nodeClass) => reviewNodeClass(nodeClass, { kubernetesVersion }),
      });
      io.stdout.write(output === 'json' ? renderJson(checked) : renderText(checked));
      io.exitCode = checked.every(({ valid }) => valid) ? 0 : 1;
    });
}

/** The policies of all files are those of one role. */
async function checkIam(
  io: Io,
  names: readonly string[],
  { output, clusterName }: { readonly output: 'text' | 'json'; readonly clusterName: string | undefined },
): Promise<void> {
  const { readPolicies } = await import('../iam/read-policies.ts');
  const { checkPolicies } = await import('../iam/check-policies.ts');
  const { statements, problems } = readPolicies(await readManifests(io, names, MANIFEST_LIMIT));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const checked = checkPolicies(statements, clusterName);
  io.stdout.write(output === 'json' ? renderPoliciesJson(checked) : renderPoliciesText(checked));
  io.exitCode = checked.capabilities.every(({ alwaysOn, covered }) => covered || !alwaysOn) ? 0 : 1;
}
