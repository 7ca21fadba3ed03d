import { availableParallelism } from 'node:os';
import { HOUR, SECOND } from '@karpenter-ts/runtime';
import { parseCommandLine, parseCount, readOrExit, UsageError } from '../tools/command-line.ts';
import { SEEDED_BUGS, type SeededBug } from './faults/seeded-bug.ts';
import { isGrowing, measureMemory } from './memory.ts';
import { everyWrite, planOf } from './plan/named-plan.ts';
import type { WorldPlan } from './plan/world-plan.ts';
import { runWorld, type Tally } from './run-world.ts';
import { keepParts, shrink } from './shrink.ts';
import { runSoak } from './soak/soak.ts';
import { runWorlds } from './world-pool.ts';
import type { WorldReport } from './world-process.ts';

/** Of many that fail, so many are shrunk: they are mostly one and the same. */
const MOST_SHRUNK = 3;
/** A bug that so many worlds do not notice goes unnoticed. */
const MOST_TRIES = 25;
const FEW_CYCLES = 6;

const USAGE = `Lives of an operator in which everything goes wrong (docs/worlds.md).

  npm run worlds -- [--count 500] [--seed 1]                    so many worlds; exit code 1 if one violates an invariant
  npm run worlds -- --provider aws [--count 300] [--seed 1]     worlds with the AWS provider, named aws:1, aws:2 and so on
  npm run worlds -- --every-write                               the operator dies at each write of a node's life in turn
  npm run worlds -- --replay WORLD [--only p0,w1,s3] [--log]    one world, or part of it, and what happens in it
  npm run worlds -- --prove [--provider aws]                    every known bug is noticed, or the exit code is 1
  npm run worlds -- --memory CYCLES                             one operator for so long; exit code 1 if it grows
  npm run worlds -- --soak [--days 30]                          a month with 500 claims; exit code 1 if anything grows

Also: --processes N, as many as there are cores unless given; --sabotage BUG, for an operator that has it.
`;

const input = readOrExit('worlds', USAGE, () => {
  const { values } = parseCommandLine({
    options: {
      provider: { type: 'string', default: 'kwok' },
      count: { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
      processes: { type: 'string', default: String(availableParallelism()) },
      sabotage: { type: 'string' },
      replay: { type: 'string' },
      only: { type: 'string' },
      log: { type: 'boolean', default: false },
      'every-write': { type: 'boolean', default: false },
      prove: { type: 'boolean', default: false },
      memory: { type: 'string' },
      soak: { type: 'boolean', default: false },
      days: { type: 'string', default: '30' },
    },
  });
  const { sabotage: bug, memory, replay } = values;
  if (bug !== undefined && !Object.hasOwn(SEEDED_BUGS, bug)) {
    throw new UsageError(`--sabotage is one of: ${Object.keys(SEEDED_BUGS).join('; ')}`);
  }
  if (!['kwok', 'aws'].includes(values.provider)) throw new UsageError('--provider is kwok or aws');
  return {
    ...values,
    bug,
    count: parseCount('--count', values.count),
    seed: parseCount('--seed', values.seed),
    processes: parseCount('--processes', values.processes),
    replay: replay === undefined ? undefined : planOf(replay),
    memory: memory === undefined ? undefined : parseCount('--memory', memory),
    days: parseCount('--days', values.days),
  };
});
process.exitCode = await run();

async function run(): Promise<number> {
  if (input.replay !== undefined) return replay(input.replay);
  if (input.memory !== undefined) return checkMemory(input.memory);
  if (input.prove) return prove();
  if (input.soak) return runSoak(input.days, input.bug);
  return runMany(input['every-write'] ? everyWrite() : seeds());
}

function seeds(): readonly string[] {
  return Array.from({ length: input.count }, (_, index) => nameOf(input.seed + index));
}

function nameOf(seed: number): string {
  return input.provider === 'aws' ? `aws:${seed}` : String(seed);
}

async function runMany(names: readonly string[]): Promise<number> {
  const started = performance.now();
  const reports: WorldReport[] = [];
  await runWorlds(names, { processes: input.processes, bug: input.bug }, (report) => {
    reports.push(report);
    const [violation] = report.violations;
    if (violation !== undefined) say(`world ${report.name}: ${violation.invariant}: ${violation.detail}`);
    if (reports.length % 100 === 0) say(`${reports.length} of ${names.length} worlds`);
  });
  say(summaryOf(reports, (performance.now() - started) / SECOND));
  const failed = reports.filter(({ violations }) => violations.length > 0);
  for (const { name } of failed.slice(0, MOST_SHRUNK)) await explain(name);
  return failed.length > 0 ? 1 : 0;
}

/** Prints the smallest part of a world that still fails, and how to run it again. */
async function explain(name: string): Promise<void> {
  const plan = planOf(name);
  const settings = { bug: SEEDED_BUGS[input.bug ?? ''] };
  const { violations } = await runWorld(plan, settings);
  const invariant = violations[0]?.invariant;
  const parts = await shrink(plan, async (smaller) => {
    const outcome = await runWorld(smaller, settings);
    return outcome.violations.some((violation) => violation.invariant === invariant);
  });
  const { journal } = await runWorld(keepParts(plan, parts), settings);
  const flag = input.bug === undefined ? '' : ` --sabotage '${input.bug}'`;
  say(`\nworld ${name}, shrunk to ${parts.length} parts:\n${journal.map((line) => `  ${line}`).join('\n')}`);
  say(`again: npm run worlds -- --replay ${name} --only ${parts.join(',') || 'none'}${flag}`);
}

async function replay(whole: WorldPlan): Promise<number> {
  const plan = input.only === undefined ? whole : keepParts(whole, input.only.split(','));
  const log = input.log ? (line: string): boolean => process.stdout.write(line) : undefined;
  const outcome = await runWorld(plan, { bug: SEEDED_BUGS[input.bug ?? ''], log });
  say(JSON.stringify({ ...plan, steps: undefined }));
  for (const line of outcome.journal) say(line);
  say(`${outcome.violations.length} violations; digest ${outcome.digest}`);
  return outcome.violations.length > 0 ? 1 : 0;
}

/** Whether each bug there is in the table is noticed, and by what it should be. */
async function prove(): Promise<number> {
  let missed = 0;
  const bugs = Object.entries(SEEDED_BUGS).filter(([, { cloud }]) => input.provider !== 'aws' || cloud === 'aws');
  for (const [name, bug] of bugs) {
    const by = bug.breaks === 'memory' ? await growsWith(bug) : await findNoticing(bug);
    say(`an operator that ${name}: ${by === undefined ? 'NOT NOTICED' : `${bug.breaks}, ${by}`}`);
    if (by === undefined) missed++;
  }
  return missed > 0 ? 1 : 0;
}

async function findNoticing(bug: SeededBug): Promise<string | undefined> {
  const prefix = bug.cloud === undefined ? '' : `${bug.cloud}:`;
  const seeds = Array.from({ length: MOST_TRIES }, (_, index) => `${prefix}${input.seed + index}`);
  for (const name of bug.worlds ?? seeds) {
    const { violations } = await runWorld(planOf(name), { bug });
    if (violations.some(({ invariant }) => invariant === bug.breaks)) return `world ${name}`;
  }
  return undefined;
}

async function growsWith(bug: SeededBug): Promise<string | undefined> {
  const report = await measureMemory(FEW_CYCLES, { bug });
  return isGrowing(report) ? `${(report.growth / 1e6).toFixed(1)} MB in each cycle` : undefined;
}

async function checkMemory(cycles: number): Promise<number> {
  const report = await measureMemory(cycles);
  say(`live heap after each cycle, in MB: ${report.heap.map((bytes) => (bytes / 1e6).toFixed(1)).join(' ')}`);
  say(`it grows by ${(report.growth / 1000).toFixed(0)} kB in each: ${isGrowing(report) ? 'TOO MUCH' : 'fine'}`);
  return isGrowing(report) ? 1 : 0;
}

function summaryOf(reports: readonly WorldReport[], seconds: number): string {
  const sum = (of: keyof Tally): number => reports.reduce((total, { tally }) => total + tally[of], 0);
  const failed = reports.filter(({ violations }) => violations.length > 0).length;
  return [
    `${reports.length} worlds in ${seconds.toFixed(0)} s, ${failed} of them with violations:`,
    `${(sum('duration') / HOUR).toFixed(0)} hours of virtual time, ${sum('steps')} steps,`,
    `${sum('commands')} commands of disruption,`,
    `${sum('deaths')} deaths of the operator, ${sum('apiFaults')} broken requests, ${sum('cloudFaults')} broken calls to the cloud`,
  ].join(' ');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
