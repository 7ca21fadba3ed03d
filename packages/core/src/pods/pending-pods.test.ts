import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '@karpenter-ts/kubernetes';
import { pendingPod } from '../testing/cluster-objects.ts';
import { countTurns } from '../testing/turns.ts';
import { startScene } from '../provisioning/testing/provisioning-scene.ts';
import { ConsolidationWarnings } from '../provisioning/consolidation-warnings.ts';
import { selectPendingPods } from './pending-pods.ts';

test('others get their turn after each pod that is unbound, also of those nobody needs to place', async (t) => {
  const { rig, deps } = await startScene(t);
  for (let i = 0; i < 10; i++) {
    await rig.create(PODS, pendingPod(`waiting-${i}`));
    await rig.create(PODS, pendingPod(`unseen-${i}`, { status: { phase: 'Pending' } })); // by the scheduler
  }
  let names: readonly string[] = [];
  const turns = await countTurns(async (slices) => {
    names = (await selectPendingPods(deps, slices, rig.logger)).map(({ metadata }) => metadata.name);
  });
  assert.ok(turns >= 20, String(turns));
  assert.deepEqual(
    names,
    Array.from({ length: 10 }, (_, i) => `waiting-${i}`),
  );
});

test('others get their turn after each pod whose preferences are looked at', async (t) => {
  const { rig } = await startScene(t);
  const pods = Array.from({ length: 20 }, (_, i) => pendingPod(`p${i}`));
  const warnings = new ConsolidationWarnings(rig.clock);
  assert.ok((await countTurns((slices) => warnings.report(pods, slices, rig.logger))) >= 20);
});
