import { before, describe, test } from 'node:test';
import { VirtualClock } from '@karpenter-ts/runtime';
import { startCluster } from '../cluster.ts';
import { CONTRACT, type ContractCase, runContract } from './index.ts';

const CONCURRENCY = 32;

/** All at once, in virtual time: waiting costs nothing. */
async function runHere(): Promise<ReadonlyMap<ContractCase, unknown>> {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, seed: 1 });
  const outcomes = await clock.runUntil(
    runContract(CONTRACT, { transport: cluster.transport, clock, prefix: 'contract' }, CONCURRENCY),
  );
  await clock.runUntil(cluster.stop());
  return outcomes;
}

describe('the embedded cluster', () => {
  let outcomes: ReadonlyMap<ContractCase, unknown>;
  before(async () => {
    outcomes = await runHere();
  });

  for (const one of CONTRACT) {
    test(one.name, () => {
      const failure = outcomes.get(one);
      if (failure !== undefined) throw failure;
    });
  }
});
