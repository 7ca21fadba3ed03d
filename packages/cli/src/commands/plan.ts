import { Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { PlanSettings } from '../plan/fleet-plan.ts';

export function planCommand(io: Io): Command {
  return new Command('plan')
    .description('Plan the nodes for the pods of a fleet file, without a cluster.')
    .requiredOption(
      '--fleet <file>',
      'catalogue, NodePools, pods and daemon pods in one JSON file, or - for standard input',
    )
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
    .action(async (flags: PlanSettings) => {
      const { runPlan } = await import('../plan/fleet-plan.ts');
      await runPlan(flags, io);
    });
}
