import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE } from '@karpenter-ts/runtime';
import { planOf } from '../plan/named-plan.ts';
import type { WorldPlan } from '../plan/world-plan.ts';
import { runWorld } from '../run-world.ts';

const SCARCITY = { kind: 'cloud-fault', method: 'create', fault: 'no-capacity' } as const;

/** What is bought for a pod that needs one core, when so many purchases find theirs sold out. */
async function purchases(times: number): Promise<readonly string[]> {
  const { workloads, pools, ...quiet } = planOf('launch:fleet:before:1');
  // A node that was too large for its pods is not replaced once there are smaller ones again.
  const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never', budgets: [] } as const;
  const steps = [
    { at: 0, step: { ...SCARCITY, times } },
    { at: 10 * MINUTE, step: { kind: 'cut-watches' } },
  ] as const;
  const plan: WorldPlan = {
    ...quiet,
    pools: pools.map((pool) => ({ ...pool, disruption })),
    workloads: [{ ...workloads[0]!, replicas: 1 }],
    steps,
  };
  const { violations, journal } = await runWorld(plan);
  assert.deepEqual(violations, []);
  const end = journal.findIndex((line) => line.endsWith('all watches are cut'));
  const news = journal.slice(0, end).map((line) => line.slice(line.indexOf(' ') + 1));
  return news.filter((line) => / is (bought|sold out)/.test(line)).map((line) => line.replace(/^instance \S+ /, ''));
}

test('what the cloud has run out of is remembered: the claim goes, and the next best is bought', async () => {
  assert.deepEqual(await purchases(0), ['is bought: cpu-2']);
  assert.deepEqual(await purchases(2), ['cpu-2 is sold out', 'cpu-4 is sold out', 'is bought: cpu-8']);
});

test('when nothing is left a pod waits until there is', async () => {
  const soldOut = ['cpu-2', 'cpu-4', 'cpu-8'].map((type) => `${type} is sold out`);
  assert.deepEqual(await purchases(3), [...soldOut, 'is bought: cpu-2']);
});
