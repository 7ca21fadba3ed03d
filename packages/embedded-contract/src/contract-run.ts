import { type ApiObject, NAMESPACES } from '@karpenter-ts/kubernetes';
import {
  Client,
  isConflict,
  isNotFound,
  MILLISECOND,
  SECOND,
  type SteadyClock,
  type Transport,
} from '@karpenter-ts/runtime';
import type { ContractCase, ContractContext } from './contract-case.ts';

/** A control plane to run the cases against. */
export interface ContractTarget {
  readonly transport: Transport;
  readonly clock: SteadyClock;
  /** A short DNS label in front of all names, so that runs do not collide. */
  readonly prefix: string;
  /** Whether clients exchange values with a control plane in this process instead of JSON. */
  readonly takesValues?: boolean;
}

const TIMEOUT = 180 * SECOND; // a real control plane on a busy host takes its time
const ASK_EVERY = 100 * MILLISECOND;

/** The namespace of a case. It stays when the case has ended, without active workloads. */
export function namespaceOf(index: number, { prefix }: ContractTarget): string {
  return `${prefix}-${index}`;
}

/** Runs one case in a namespace of its own and cleans up after it. Rejects as the case does. `index` tells cases apart. */
export async function runCase({ run }: ContractCase, index: number, target: ContractTarget): Promise<void> {
  const { transport, clock, takesValues } = target;
  const client = new Client({ transport, clock, userAgent: 'contract', takesValues });
  const own = namespaceOf(index, target);
  const cleanUps: (() => Promise<unknown>)[] = [];
  const context: ContractContext = {
    client,
    transport,
    clock,
    namespace: own,
    unique: (name) => `${own}-${name}`,
    defer: (cleanUp) => cleanUps.push(cleanUp),
    until: (what, ask) => until(clock, what, ask),
  };
  await client.create<ApiObject>(NAMESPACES, { metadata: { name: own } });
  context.defer(() => emptyNamespace(transport, own));
  try {
    await run(context);
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp().catch(ignoreGone);
  }
}

/** Runs all cases, `concurrency` at a time, and returns the error of each; undefined for those that passed. */
export async function runContract(
  cases: readonly ContractCase[],
  target: ContractTarget,
  concurrency: number,
): Promise<ReadonlyMap<ContractCase, unknown>> {
  const outcomes = new Map<ContractCase, unknown>();
  const left = cases.entries();
  const work = async (): Promise<void> => {
    for (const [index, one] of left) {
      outcomes.set(
        one,
        await runCase(one, index, target).then(
          () => undefined,
          (error: unknown) => error ?? 'failed',
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return outcomes;
}

/** Owners come before what they own, which they would create again. */
const BUSY_KINDS: readonly string[] = [
  'apis/apps/v1/deployments',
  'apis/apps/v1/replicasets',
  'apis/apps/v1/statefulsets',
  'apis/apps/v1/daemonsets',
  'apis/batch/v1/jobs',
  'api/v1/pods',
];

/**
 * Deletes what would keep controllers busy. The namespace itself stays, because a real control plane takes seconds to
 * delete one, and hundreds of deletions would delay the cases that wait for theirs.
 */
async function emptyNamespace(transport: Transport, namespace: string): Promise<void> {
  for (const kind of BUSY_KINDS) {
    const path = `/${kind.replace('/v1/', `/v1/namespaces/${namespace}/`)}?gracePeriodSeconds=0`;
    const response = await transport.send({ method: 'DELETE', path, headers: { accept: 'application/json' } });
    response.discard();
  }
}

/** An object that is gone, or was replaced by another of its name, counts as deleted. */
function ignoreGone(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}

async function until<T>(clock: SteadyClock, what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = clock.elapsed() + TIMEOUT;
  let last = 'nothing';
  while (clock.elapsed() < deadline) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      last = String(answer);
    } catch (error) {
      last = String(error);
    }
    await clock.sleep(ASK_EVERY);
  }
  throw new Error(`still waiting after ${TIMEOUT / SECOND} s: ${what} (last: ${last})`);
}
