// Random plans on the embedded cluster, whose scheduler shares no code with the planner.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startCluster } from '@karpenter-ts/embedded';
import type { ContractTarget } from '@karpenter-ts/embedded-contract';
import { VirtualClock } from '@karpenter-ts/runtime';
import { tryFreely, trialSeeds, tryNominated } from './trial.ts';

const seeds = trialSeeds();

/** Runs the trial in virtual time, on a cluster of its own. */
async function onCluster<T>(run: (target: ContractTarget) => Promise<T>): Promise<T> {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, seed: seeds[0] ?? 1 });
  try {
    return await clock.runUntil(run({ transport: cluster.transport, clock, prefix: 'plan' }));
  } finally {
    await clock.runUntil(cluster.stop());
  }
}

test('pods told their node of a plan, in its order, all get it', async (t: TestContext) => {
  const { placed, misplaced } = await onCluster((target) => tryNominated(seeds, target));
  t.diagnostic(`${seeds.length} fleets from seed ${seeds[0]}: ${placed} pods, ${misplaced.length} elsewhere`);
  assert.ok(placed > seeds.length);
  assert.deepEqual(misplaced, []);
});

test('of pods left to the scheduler 97 % have a node at once, the rest within two more passes', async (t) => {
  const { placed, atOnce, waiting } = await onCluster((target) => tryFreely(seeds, target));
  t.diagnostic(`${seeds.length} fleets from seed ${seeds[0]}: ${atOnce} of ${placed} pods at once`);
  assert.ok(atOnce >= 0.97 * placed, `only ${atOnce} of ${placed}`);
  assert.deepEqual(waiting, []);
});
