import { type Destination, contractClients } from './clients.ts';
import type { ContractCase, ContractContext } from './contract-case.ts';

/** An AWS to run the cases against. */
export interface ContractTarget {
  readonly destination: Destination;
  readonly clock: ContractClock;
  /** In front of all names, so that runs do not collide. */
  readonly prefix: string;
  /** How long `eventually` waits, and thrice of which a case may take in all. In milliseconds. */
  readonly patience: number;
  /** Ends the run: what has not passed by then fails. */
  readonly signal?: AbortSignal;
}

/** The clock of the target: with a virtual one, waiting takes no real time. */
export interface ContractClock {
  elapsed(): number;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const ASK_EVERY = 100;

/** Runs the cases, `concurrency` at a time, and returns the error of each; undefined for those that passed. */
export async function runContract(
  cases: readonly ContractCase[],
  target: ContractTarget,
  concurrency: number,
): Promise<ReadonlyMap<ContractCase, unknown>> {
  const outcomes = new Map<ContractCase, unknown>();
  const left = cases.entries();
  const work = async (): Promise<void> => {
    for (const [index, one] of left) outcomes.set(one, await failureOf(runCase(one, index, target)));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return outcomes;
}

async function failureOf(work: Promise<void>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error ?? 'failed';
  }
}

async function runCase({ run }: ContractCase, index: number, target: ContractTarget): Promise<void> {
  const { clock, prefix, patience, destination } = target;
  const { destroy, ...clients } = contractClients(destination);
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, ...(target.signal ? [target.signal] : [])]);
  const cleanUps: (() => Promise<unknown>)[] = [];
  const context: ContractContext = {
    ...clients,
    unique: (name) => `${prefix}-${index}-${name}`,
    sleep: (milliseconds) => clock.sleep(milliseconds, signal),
    eventually: (what, ask) => eventually(what, ask, target, signal),
    defer: (cleanUp) => cleanUps.push(cleanUp),
  };
  try {
    await Promise.race([run(context), giveUp(clock, patience * 3, signal)]);
  } finally {
    ended.abort(new Error('the case has ended'));
    for (const cleanUp of cleanUps.toReversed()) await cleanUp().catch(() => undefined);
    destroy();
  }
}

async function giveUp(clock: ContractClock, after: number, signal: AbortSignal): Promise<never> {
  await clock.sleep(after, signal);
  throw new Error(`not done after ${after / 1000} s`);
}

async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  { clock, patience }: ContractTarget,
  signal: AbortSignal,
): Promise<T> {
  const deadline = clock.elapsed() + patience;
  let last = 'nothing';
  while (clock.elapsed() < deadline) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      last = String(answer);
    } catch (error) {
      last = String(error);
    }
    await clock.sleep(ASK_EVERY, signal);
  }
  throw new Error(`still waiting after ${patience / 1000} s: ${what} (last: ${last})`);
}
