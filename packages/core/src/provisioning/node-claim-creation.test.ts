import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClaim } from '@karpenter-ts/apis';
import type { Client } from '@karpenter-ts/runtime';
import { DEFAULT_PLANNING, EMPTY_SNAPSHOT, finish, planSnapshot } from '@karpenter-ts/scheduling';
import { DEFAULT_TYPES } from '@karpenter-ts/scheduling/testing';
import { pendingPod, readyPool } from '../testing/cluster-objects.ts';
import { createNodeClaims } from './node-claim-creation.ts';
import { TimeSlices } from './planning/time-slices.ts';
import { startScene } from './testing/provisioning-scene.ts';
import { UnheardClaims } from './unheard-claims.ts';

/** Creates one claim with a server that answers, but whose watch tells nobody. */
async function create(t: Parameters<typeof startScene>[0], tellsPods: boolean) {
  const scene = await startScene(t);
  await scene.add([readyPool('default')]);
  const answer = async (_type: unknown, claim: NodeClaim) => ({ ...claim, metadata: { ...claim.metadata, name: 'c' } });
  const client = { create: answer } as unknown as Client;
  const pool = { nodePool: scene.rig.caches.nodePools.get('default')!, instanceTypes: DEFAULT_TYPES };
  const snapshot = { ...EMPTY_SNAPSHOT, pools: [pool], pods: [pendingPod('a')] };
  const { newNodes } = finish(planSnapshot(snapshot, { ...DEFAULT_PLANNING, profile: scene.rig.provider.profile }));
  const names = await createNodeClaims(
    { ...scene.deps, client, unheard: new UnheardClaims(scene.deps) },
    newNodes.map((planned) => ({ planned, pool })),
    { reason: 'test', tellsPods },
    new TimeSlices(scene.rig.clock, new AbortController().signal),
    scene.rig.logger,
  );
  await scene.rig.clock.settle();
  return { scene, names };
}

test('a claim is waited for from the moment the server has it', async (t) => {
  const { scene, names } = await create(t, true);
  assert.deepEqual(names, ['c']);
  assert.equal(scene.cluster.isUnlaunched('c'), true);
  assert.equal(scene.cluster.hasSynced(), false);
});

test('why a claim was created is counted, and pods are told only where that is wanted', async (t) => {
  const { scene } = await create(t, false);
  const series = 'karpenter_nodeclaims_created_total{min_values_relaxed="false",nodepool="default",reason="test"}';
  assert.equal(await scene.metric(series), 1);
  assert.deepEqual(scene.eventsOn('a'), []);
  assert.equal(scene.cluster.decisions.find('default/a')?.nodeClaim, 'c');
});
