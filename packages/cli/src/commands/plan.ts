import { Argument, Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { ClusterPlanSettings } from '../plan/cluster-plan.ts';
import type { PlanSettings } from '../plan/fleet-plan.ts';

/** What may be asked about a cluster. */
export const QUESTIONS = ['provision', 'empty', 'drift', 'expire', 'consolidate', 'all'] as const;

export function planCommand(io: Io): Command {
  return new Command('plan')
    .description('Plan the nodes for pods, or what would be disrupted in a cluster, without a cluster.')
    .addArgument(
      new Argument('[what]', 'with --from or -f: what to plan').choices(QUESTIONS).default('all', 'everything'),
    )
    .option('--fleet <file>', 'catalogue, NodePools, pods and daemon pods in one JSON file, or - for standard input')
    .option('--from <file>', 'a cluster file, as karpenter dump writes it, or - for standard input')
    .option(
      '-f, --filename <file...>',
      'manifests of NodePools, pods, workloads and nodes in YAML or JSON: files, folders, or - for standard input',
    )
    .option('--catalogue <source>', 'with -f: the instance types: ec2, kwok, or a file that has them', 'ec2')
    .option('--until-stable', 'carry the commands out on the model until nothing changes any more', false)
    .addOption(
      new Option('--preference-policy <policy>', "the controller's flag of that name: whether preferences count")
        .choices(['Respect', 'Ignore'])
        .default('Respect'),
    )
    .addOption(
      new Option('--packing-policy <policy>', "buy cheaper nodes than upstream would, or upstream's")
        .choices(['CostAware', 'Upstream'])
        .default('CostAware'),
    )
    .option('--packing-min-gain <percent>', "how much of the price of upstream's nodes others must save", '5%')
    .option(
      '--packing-max-extra-nodes <percent>',
      "how many more nodes than upstream's they may be, or unlimited",
      '100%',
    )
    .option('--node-fee <rate>', 'what a node costs beside its price', '0/h')
    .option('--extensions <ids>', 'extensions that are honoured: all, none, or their ids by commas', 'all')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .action(async (what: ClusterPlanSettings['what'], flags: Flags, command: Command) => {
      const { fleet, from, filename } = flags;
      const sources = [fleet, from, filename].filter((source) => source !== undefined);
      if (sources.length !== 1) return command.error('error: name one of --fleet, --from and -f', { exitCode: 2 });
      if (filename === undefined && command.getOptionValueSource('catalogue') === 'cli') {
        return command.error('error: --catalogue is for -f: a file of --from or --fleet has its own', { exitCode: 2 });
      }
      if ((filename ?? []).filter((name) => name === '-').length > 1) {
        return command.error('error: standard input can be read once: name - once', { exitCode: 2 });
      }
      if (fleet !== undefined) {
        if (command.args.length > 0 || flags.untilStable) {
          return command.error('error: --fleet plans new nodes only: use --from', { exitCode: 2 });
        }
        const { runPlan } = await import('../plan/fleet-plan.ts');
        return runPlan({ ...flags, fleet }, io);
      }
      const isGiven = command.getOptionValueSource('preferencePolicy') === 'cli';
      const preferencePolicy = isGiven ? flags.preferencePolicy : undefined;
      const { runClusterPlan } = await import('../plan/cluster-plan.ts');
      return runClusterPlan({ ...flags, what, preferencePolicy }, io);
    });
}

type Flags = Omit<PlanSettings, 'fleet'> & {
  readonly fleet?: string;
  readonly from?: string;
  readonly filename?: readonly string[];
  readonly catalogue: string;
  readonly untilStable: boolean;
};
