import { before, describe, test } from 'node:test';
import { VirtualClock } from '@karpenter-ts/runtime';
import { startCluster } from '@karpenter-ts/embedded';
import { CONTRACT, type ContractCase, runContract } from './index.ts';

const CONCURRENCY = 32;

/** All at once, in virtual time: waiting costs nothing. */
async function runHere(takesValues: boolean): Promise<ReadonlyMap<ContractCase, unknown>> {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, seed: 1 });
  const target = { transport: cluster.transport, clock, prefix: 'contract', takesValues };
  const outcomes = await clock.runUntil(runContract(CONTRACT, target, CONCURRENCY));
  await clock.runUntil(cluster.stop());
  return outcomes;
}

for (const takesValues of [false, true]) {
  describe(`the embedded cluster, to clients that ${takesValues ? 'take values' : 'read bytes'}`, () => {
    let outcomes: ReadonlyMap<ContractCase, unknown>;
    before(async () => {
      outcomes = await runHere(takesValues);
    });

    for (const one of CONTRACT) {
      test(one.name, () => {
        const failure = outcomes.get(one);
        if (failure !== undefined) throw failure;
      });
    }
  });
}
