import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition, timestamp } from '@karpenter-ts/kubernetes';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { refuse } from '@karpenter-ts/cloudprovider/testing';
import { DONE, HOUR, MINUTE, type Result, SECOND } from '@karpenter-ts/runtime';
import {
  CAPACITY_TYPE_LABEL,
  CORE_PROFILE,
  INSTANCE_TYPE_LABEL,
  NODE_CLAIMS,
  NODE_POOLS,
  NODEPOOL_HASH_ANNOTATIONS,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { makeOffering, makeType } from '@karpenter-ts/scheduling/testing';
import { makeNodeClaim } from '../../testing/objects.ts';
import { type ClaimWorld, startClaimWorld } from '../testing/claim-world.ts';
import { disruptionConditionsController } from './controller.ts';
import { isOffered } from './drift.ts';

interface Marked extends ClaimWorld {
  mark(): Promise<Result>;
}

/** A complete claim, and a pass of the controller under test. */
async function start(
  t: Parameters<typeof startClaimWorld>[0],
  parts: Parameters<typeof makeNodeClaim>[1] = {},
): Promise<Marked> {
  const world = await startClaimWorld(t);
  await world.addRegistered(parts);
  const controller = disruptionConditionsController(world.rig);
  return Object.assign(world, { mark: () => world.rig.reconcile(controller, 'c1') });
}

async function drift(world: ClaimWorld): Promise<readonly (string | undefined)[]> {
  const condition = await world.condition('Drifted');
  return [condition?.status, condition?.reason, condition?.message];
}

const NOT_DRIFTED = [undefined, undefined, undefined];
const { hash: HASH, version: VERSION } = NODEPOOL_HASH_ANNOTATIONS;

test('a claim made from another template is drifted, and is no longer when the template is back', async (t) => {
  const world = await start(t, { annotations: { [HASH]: '1', [VERSION]: 'v3' } });
  const annotate = (hash: string): Promise<unknown> =>
    world.rig.change(NODE_POOLS, 'default', { metadata: { annotations: { [HASH]: hash, [VERSION]: 'v3' } } });
  await annotate('2');
  assert.deepEqual(await world.mark(), { requeueAfter: 5 * MINUTE });
  assert.deepEqual(await drift(world), ['True', 'NodePoolDrifted', 'NodePoolDrifted']);
  const line = world.rig.logger.lines.find(({ message }) => message === 'marking drifted');
  assert.equal(line?.fields['reason'], 'NodePoolDrifted');
  await annotate('1');
  await world.mark();
  assert.deepEqual(await drift(world), NOT_DRIFTED);
  assert.ok(world.lines('debug').includes('removing drifted status condition, not drifted'));
});

test('a claim whose labels no longer meet the requirements is drifted', async (t) => {
  const world = await start(t);
  const requirements = [{ key: ZONE_LABEL, operator: 'In', values: ['another-zone'] }];
  await world.rig.change(NODE_POOLS, 'default', { spec: { template: { spec: { requirements } } } });
  await world.mark();
  assert.deepEqual(await drift(world), ['True', 'RequirementsDrifted', 'RequirementsDrifted']);
});

test('what the provider finds is drift, too; a machine it does not know is not', async (t) => {
  const world = await start(t);
  world.rig.provider.setDrift('AMIDrift');
  await world.mark();
  assert.deepEqual(await drift(world), ['True', 'AMIDrift', 'AMIDrift']);
  world.rig.provider.script('findDrift', refuse(new NodeClaimNotFoundError(new Error('gone'))));
  assert.equal(await world.mark(), DONE);
  world.rig.provider.script('findDrift', refuse(new Error('out of order')));
  await assert.rejects(world.mark(), /getting drift/);
  assert.deepEqual(await drift(world), ['True', 'AMIDrift', 'AMIDrift']);
});

test('a machine no longer offered is drifted, from the age of an hour on', async (t) => {
  const world = await start(t);
  world.rig.provider.offer([]);
  await world.mark();
  assert.deepEqual(await drift(world), NOT_DRIFTED);
  assert.equal(world.rig.provider.callsOf('instanceTypes').length, 0);
  await world.rig.clock.advance(1 * HOUR + 1 * SECOND);
  await world.mark();
  assert.deepEqual(await drift(world), ['True', 'InstanceTypeNotFound', 'InstanceTypeNotFound']);
});

test('offerings are asked for every half an hour, and a no is asked again at once', async (t) => {
  const world = await start(t);
  await world.rig.clock.advance(2 * HOUR);
  const asked = (): number => world.rig.provider.callsOf('instanceTypes').length;
  for (let i = 0; i < 3; i++) await world.mark();
  assert.equal(asked(), 1);
  await world.rig.clock.advance(30 * MINUTE);
  world.rig.provider.offer([]);
  for (let i = 0; i < 3; i++) await world.mark();
  assert.equal(asked(), 4);
});

test('a claim that is not launched is not drifted', async (t) => {
  const world = await startClaimWorld(t);
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const drifted = { type: 'Drifted', status: 'True' as const, reason: 'X', message: 'X', lastTransitionTime };
  await world.addClaim({ status: { conditions: [drifted] } });
  await world.rig.reconcile(disruptionConditionsController(world.rig), 'c1');
  assert.deepEqual(await drift(world), NOT_DRIFTED);
  assert.ok(world.lines('debug').includes("removing drift status condition, isn't launched"));
});

test('what counts for an offering is the claim’s type, zone and capacity type, sold out or not', () => {
  const type = makeType('t', {
    capacity: { cpu: '4' },
    offerings: [makeOffering('a', 'spot', 1, { available: false }), makeOffering('b', 'on-demand', 2)],
  });
  const offered = (labels: Readonly<Record<string, string>>): boolean => {
    const offerings = { instanceTypes: [type], profile: CORE_PROFILE, reservedCapacityLabels: new Set(['rid']) };
    return isOffered(makeNodeClaim('c', { labels }), offerings);
  };
  const labels = { [INSTANCE_TYPE_LABEL]: 't', [ZONE_LABEL]: 'a', [CAPACITY_TYPE_LABEL]: 'spot' };
  assert.equal(offered(labels), true);
  assert.equal(offered({ ...labels, [ZONE_LABEL]: 'b' }), false);
  assert.equal(offered({ ...labels, [INSTANCE_TYPE_LABEL]: 'u' }), false);
  const reserved = { ...labels, [ZONE_LABEL]: 'b', [CAPACITY_TYPE_LABEL]: 'reserved', rid: 'r-1' };
  assert.equal(offered(reserved), true);
});

test('drift compares none of the labels that a reserved machine loses with its reservation', () => {
  const gone = { operator: 'DoesNotExist' } as const;
  const offering = makeOffering('a', 'on-demand', 2);
  const asks = [...offering.requirements, { key: 'rid', ...gone }, { key: 'rtype', ...gone }];
  const type = makeType('t', { capacity: { cpu: '4' }, offerings: [{ ...offering, requirements: asks }] });
  const wellKnownLabels = CORE_PROFILE.wellKnownLabels.union(new Set(['rid', 'rtype']));
  const offered = (capacityType: string, ...ignored: readonly string[]): boolean => {
    const labels = { [INSTANCE_TYPE_LABEL]: 't', [ZONE_LABEL]: 'a', [CAPACITY_TYPE_LABEL]: capacityType };
    const nodeClaim = makeNodeClaim('c', { labels: { ...labels, rid: 'r-1', rtype: 'block' } });
    const profile = { ...CORE_PROFILE, wellKnownLabels };
    return isOffered(nodeClaim, { instanceTypes: [type], profile, reservedCapacityLabels: new Set(ignored) });
  };
  assert.equal(offered('reserved', 'rid', 'rtype'), true);
  assert.equal(offered('reserved', 'rid'), false); // a label the provider does not name counts
  assert.equal(offered('on-demand', 'rid', 'rtype'), false); // and all count for one that is not reserved
});

test('a claim becomes consolidatable when its window is over', async (t) => {
  const world = await start(t);
  await world.rig.change(NODE_POOLS, 'default', { spec: { disruption: { consolidateAfter: '60s' } } });
  await world.rig.clock.advance(20 * SECOND);
  assert.deepEqual(await world.mark(), { requeueAfter: 40 * SECOND });
  assert.equal(await world.condition('Consolidatable'), undefined);
  await world.rig.clock.advance(40 * SECOND);
  await world.mark();
  assert.equal((await world.condition('Consolidatable'))?.status, 'True');
  assert.ok(world.lines('debug').includes('marking consolidatable'));
});

test('a pod event takes the mark away until the window is over again', async (t) => {
  const world = await start(t);
  await world.rig.change(NODE_POOLS, 'default', { spec: { disruption: { consolidateAfter: '60s' } } });
  await world.rig.clock.advance(2 * MINUTE);
  await world.mark();
  const lastPodEventTime = timestamp(world.rig.clock.now());
  await world.rig.change(NODE_CLAIMS, 'c1', { status: { lastPodEventTime } });
  await world.rig.clock.advance(10 * SECOND);
  assert.deepEqual(await world.mark(), { requeueAfter: 50 * SECOND });
  assert.equal(await world.condition('Consolidatable'), undefined);
  const line = world.rig.logger.lines.find(({ message }) => message === 'removing consolidatable status condition');
  assert.deepEqual(
    ['reason', 'lastPodEventTime', 'consolidateAfter', 'timeSincePodEvent'].map((key) => line?.fields[key]),
    ['consolidateAfter window not yet elapsed', lastPodEventTime, '1m0s', '10s'],
  );
});

test('without consolidation, or before the Node is complete, there is no mark', async (t) => {
  const world = await start(t);
  await world.mark();
  assert.equal((await world.condition('Consolidatable'))?.status, 'True');
  await world.rig.change(NODE_POOLS, 'default', { spec: { disruption: { consolidateAfter: 'Never' } } });
  await world.mark();
  assert.equal(await world.condition('Consolidatable'), undefined);
  const incomplete = await startClaimWorld(t);
  await incomplete.addRegistered({}, { ready: 'False' });
  await incomplete.rig.reconcile(disruptionConditionsController(incomplete.rig), 'c1');
  assert.equal(await incomplete.condition('Consolidatable'), undefined);
});

test('only what a pool launches wakes its claims, not what it has', async (t) => {
  const world = await start(t);
  await world.rig.run(disruptionConditionsController(world.rig));
  const passes = async (): Promise<number> => {
    const page = await world.rig.page();
    const counts = page.matchAll(/reconcile_total\{controller="nodeclaim.disruption",result="\w+"\} (\d+)/g);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const before = await passes();
  await world.rig.change(NODE_POOLS, 'default', { status: { nodes: 7 } });
  assert.equal(await passes(), before);
  await world.rig.change(NODE_POOLS, 'default', { spec: { weight: 7 } });
  assert.ok((await passes()) > before);
});

test('a pool that is gone, and a claim of none, are left alone', async (t) => {
  const world = await startClaimWorld(t);
  const claim = await world.rig.create(NODE_CLAIMS, makeNodeClaim('c1'));
  await world.rig.reconcile(disruptionConditionsController(world.rig), 'c1');
  assert.equal(findCondition(await world.claim(), 'Consolidatable'), undefined);
  assert.equal((await world.claim()).metadata.resourceVersion, claim.metadata.resourceVersion);
});
