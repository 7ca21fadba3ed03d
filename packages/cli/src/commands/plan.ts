import { type Fleet, finish, type PlanFile, planSnapshot, readFleet, toPlanFile } from '@karpenter-ts/scheduling';
import { Command, Option } from 'commander';
import { type Io, readManifests } from '../io.ts';
import { renderPlan } from '../render/plan.ts';

interface Flags {
  readonly fleet: string;
  readonly output: 'text' | 'json';
  readonly preferencePolicy: 'Respect' | 'Ignore';
}

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
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .action(async ({ fleet: name, output, preferencePolicy }: Flags) => {
      const fleet = await loadFleet(io, name);
      if (fleet === undefined) return;
      const plan = planFleet(fleet, preferencePolicy);
      io.stdout.write(output === 'json' ? `${JSON.stringify(plan)}\n` : renderPlan(plan));
    });
}

/** The fleet, or `undefined` once it is said what keeps it from being read. */
async function loadFleet(io: Io, name: string): Promise<Fleet | undefined> {
  const [file, another] = await readManifests(io, [name], Number.POSITIVE_INFINITY);
  const refuse = (lines: readonly string[]): undefined => {
    io.stderr.write(lines.map((line) => `${line}\n`).join(''));
    io.exitCode = 1;
  };
  if (file === undefined || another !== undefined) return refuse([`${name}:1:1: error: is a folder, not a fleet file`]);
  if ('problem' in file) return refuse([`${file.name}:1:1: error: ${file.problem}`]);
  const read = readFleet(file.text);
  if ('fleet' in read) return read.fleet;
  return refuse(
    read.problems.map(({ line, column, field, message }) =>
      [`${file.name}:${line}:${column}: error`, ...(field === '' ? [] : [field]), message].join(': '),
    ),
  );
}

function planFleet({ snapshot, options }: Fleet, preferencePolicy: Flags['preferencePolicy']): PlanFile {
  const started = performance.now();
  const plan = finish(planSnapshot(snapshot, { ...options, preferencePolicy }));
  return toPlanFile(plan, (performance.now() - started) / 1000);
}
