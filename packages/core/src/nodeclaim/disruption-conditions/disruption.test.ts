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
  type NodePool,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { makeOffering, makeType } from '@karpenter-ts/scheduling/testing';
import { hashController } from '../../nodepool/hash.ts';
import { makeNodeClaim } from '../../testing/objects.ts';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from '../testing/nodeclaim-environment.ts';
import { disruptionConditionsController } from './controller.ts';
import { isOffered } from './drift.ts';

interface Marked extends NodeClaimEnvironment {
  mark(): Promise<Result>;
}

/** A complete NodeClaim, and a pass of the controller under test. */
async function start(
  t: Parameters<typeof startNodeClaimEnvironment>[0],
  parts: Parameters<typeof makeNodeClaim>[1] = {},
): Promise<Marked> {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered(parts);
  const controller = disruptionConditionsController(env);
  return Object.assign(env, { mark: () => env.reconcile(controller, 'c1') });
}

async function drift(env: NodeClaimEnvironment): Promise<readonly (string | undefined)[]> {
  const condition = await env.condition('Drifted');
  return [condition?.status, condition?.reason, condition?.message];
}

const NOT_DRIFTED = [undefined, undefined, undefined];
const { hash: HASH, version: VERSION } = NODEPOOL_HASH_ANNOTATIONS;

test('04/67 a NodeClaim made from another template is drifted, and is no longer when the template is back', async (t) => {
  const env = await start(t, { annotations: { [HASH]: '1', [VERSION]: 'v3' } });
  const annotate = (hash: string): Promise<unknown> =>
    env.change(NODE_POOLS, 'default', { metadata: { annotations: { [HASH]: hash, [VERSION]: 'v3' } } });
  await annotate('2');
  assert.deepEqual(await env.mark(), { requeueAfter: 5 * MINUTE });
  assert.deepEqual(await drift(env), ['True', 'NodePoolDrifted', 'NodePoolDrifted']);
  const line = env.logger.lines.find(({ message }) => message === 'marking drifted');
  assert.equal(line?.fields['reason'], 'NodePoolDrifted');
  await annotate('1');
  await env.mark();
  assert.deepEqual(await drift(env), NOT_DRIFTED);
  assert.ok(env.lines('debug').includes('removing drifted status condition, not drifted'));
});

/** The annotations of extensions on NodePools (spec 09 §J), those that nobody reads yet among them. */
const EXTENSION_ANNOTATIONS = `
  packing-policy consolidation-max-replacements split-min-savings node-fee min-savings
  min-savings-delete limit-cost limits-schedule on-demand-base on-demand-percent spot-guard
  spot-return spot-min-types prefer budget-time-zone disruption-windows expiration-policy
  expiration-deadline expiration-jitter consolidation-methods consolidate-after
  consolidate-after-ignore min-node-age min-pod-uptime max-moves drift-rollout drift-resume
  drift-approved in-place hold deprecated min-nodes headroom active-hours off-hours off-hours-system
  wake-before interruption-drain zone-balance standby namespaces namespace-selector spot-hold-until
`
  .trim()
  .split(/\s+/)
  .map((name) => `karpenter-ts.dev/${name}`);

test('09/114 annotations of extensions change no hash and let no node drift, set or removed', async (t) => {
  const env = await start(t);
  const hashes = hashController(env);
  const hash = async (): Promise<string | undefined> => {
    await env.reconcile(hashes, 'default');
    await env.mark();
    return (await env.get<NodePool>(NODE_POOLS, 'default')).metadata.annotations?.[HASH];
  };
  const annotate = (value: string | null): Promise<unknown> => {
    const annotations = Object.fromEntries(EXTENSION_ANNOTATIONS.map((key) => [key, value]));
    return env.change(NODE_POOLS, 'default', { metadata: { annotations } });
  };
  const before = await hash();
  assert.ok(before);
  await env.change(NODE_CLAIMS, 'c1', { metadata: { annotations: { [HASH]: before, [VERSION]: 'v3' } } });
  for (const value of ['1h', 'other', null]) {
    await annotate(value);
    assert.equal(await hash(), before);
    assert.deepEqual(await drift(env), NOT_DRIFTED);
  }
});

test('04/67 04/176 what changes of both conditions is written at once', async (t) => {
  const env = await start(t, { annotations: { [HASH]: '1', [VERSION]: 'v3' } });
  const annotate = (hash: string): Promise<unknown> =>
    env.change(NODE_POOLS, 'default', { metadata: { annotations: { [HASH]: hash, [VERSION]: 'v3' } } });
  await env.change(NODE_POOLS, 'default', { spec: { disruption: { consolidateAfter: '60s' } } });
  const writes = async (): Promise<readonly string[]> => {
    const before = env.writes.length;
    await env.mark();
    return env.writes.slice(before);
  };
  const patch = ['PATCH /apis/karpenter.sh/v1/nodeclaims/c1/status'];
  const marks = async () => [(await env.condition('Drifted'))?.status, (await env.condition('Consolidatable'))?.status];
  await annotate('2');
  await env.clock.advance(2 * MINUTE);
  assert.deepEqual([await writes(), await marks()], [patch, ['True', 'True']]);
  await annotate('1');
  await env.change(NODE_CLAIMS, 'c1', { status: { lastPodEventTime: timestamp(env.clock.now()) } });
  assert.deepEqual([await writes(), await marks()], [patch, [undefined, undefined]]);
});

test('a NodeClaim whose labels no longer meet the requirements is drifted', async (t) => {
  const env = await start(t);
  const requirements = [{ key: ZONE_LABEL, operator: 'In', values: ['another-zone'] }];
  await env.change(NODE_POOLS, 'default', { spec: { template: { spec: { requirements } } } });
  await env.mark();
  assert.deepEqual(await drift(env), ['True', 'RequirementsDrifted', 'RequirementsDrifted']);
});

test('what the provider finds is drift, too; an instance it does not know is not', async (t) => {
  const env = await start(t);
  env.provider.setDrift('AMIDrift');
  await env.mark();
  assert.deepEqual(await drift(env), ['True', 'AMIDrift', 'AMIDrift']);
  env.provider.script('findDrift', refuse(new NodeClaimNotFoundError(new Error('gone'))));
  assert.equal(await env.mark(), DONE);
  env.provider.script('findDrift', refuse(new Error('out of order')));
  await assert.rejects(env.mark(), /getting drift/);
  assert.deepEqual(await drift(env), ['True', 'AMIDrift', 'AMIDrift']);
});

test('04/64 an instance no longer offered is drifted, from the age of an hour on', async (t) => {
  const env = await start(t);
  env.provider.offer([]);
  await env.mark();
  assert.deepEqual(await drift(env), NOT_DRIFTED);
  assert.equal(env.provider.callsOf('instanceTypes').length, 0);
  await env.clock.advance(1 * HOUR + 1 * SECOND);
  await env.mark();
  assert.deepEqual(await drift(env), ['True', 'InstanceTypeNotFound', 'InstanceTypeNotFound']);
});

test('offerings are asked for every half an hour, and a no is asked again at once', async (t) => {
  const env = await start(t);
  await env.clock.advance(2 * HOUR);
  const asked = (): number => env.provider.callsOf('instanceTypes').length;
  for (let i = 0; i < 3; i++) await env.mark();
  assert.equal(asked(), 1);
  await env.clock.advance(30 * MINUTE);
  env.provider.offer([]);
  for (let i = 0; i < 3; i++) await env.mark();
  assert.equal(asked(), 4);
});

test('04/66 a NodeClaim that is not launched is not drifted', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const drifted = { type: 'Drifted', status: 'True' as const, reason: 'X', message: 'X', lastTransitionTime };
  await env.addNodeClaim({ status: { conditions: [drifted] } });
  await env.reconcile(disruptionConditionsController(env), 'c1');
  assert.deepEqual(await drift(env), NOT_DRIFTED);
  assert.ok(env.lines('debug').includes("removing drift status condition, isn't launched"));
});

test('04/64 04/65 what counts for an offering is the NodeClaim’s type, zone and capacity type, sold out or not', () => {
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

test('drift compares none of the labels that a reserved instance loses with its reservation', () => {
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

test('04/84 a NodeClaim becomes consolidatable when its window is over', async (t) => {
  const env = await start(t);
  await env.change(NODE_POOLS, 'default', { spec: { disruption: { consolidateAfter: '60s' } } });
  await env.clock.advance(20 * SECOND);
  assert.deepEqual(await env.mark(), { requeueAfter: 40 * SECOND });
  assert.equal(await env.condition('Consolidatable'), undefined);
  await env.clock.advance(40 * SECOND);
  await env.mark();
  assert.equal((await env.condition('Consolidatable'))?.status, 'True');
  assert.ok(env.lines('debug').includes('marking consolidatable'));
});

test('04/85 a pod event takes the mark away until the window is over again', async (t) => {
  const env = await start(t);
  await env.change(NODE_POOLS, 'default', { spec: { disruption: { consolidateAfter: '60s' } } });
  await env.clock.advance(2 * MINUTE);
  await env.mark();
  const lastPodEventTime = timestamp(env.clock.now());
  await env.change(NODE_CLAIMS, 'c1', { status: { lastPodEventTime } });
  await env.clock.advance(10 * SECOND);
  assert.deepEqual(await env.mark(), { requeueAfter: 50 * SECOND });
  assert.equal(await env.condition('Consolidatable'), undefined);
  const line = env.logger.lines.find(({ message }) => message === 'removing consolidatable status condition');
  assert.deepEqual(
    ['reason', 'lastPodEventTime', 'consolidateAfter', 'timeSincePodEvent'].map((key) => line?.fields[key]),
    ['consolidateAfter window not yet elapsed', lastPodEventTime, '1m0s', '10s'],
  );
});

test('04/85 without consolidation, or before the Node is complete, there is no mark', async (t) => {
  const env = await start(t);
  await env.mark();
  assert.equal((await env.condition('Consolidatable'))?.status, 'True');
  await env.change(NODE_POOLS, 'default', { spec: { disruption: { consolidateAfter: 'Never' } } });
  await env.mark();
  assert.equal(await env.condition('Consolidatable'), undefined);
  const incomplete = await startNodeClaimEnvironment(t);
  await incomplete.addRegistered({}, { ready: 'False' });
  await incomplete.reconcile(disruptionConditionsController(incomplete), 'c1');
  assert.equal(await incomplete.condition('Consolidatable'), undefined);
});

test('a change of a NodePool’s template enqueues its NodeClaims, a change of its status does not', async (t) => {
  const env = await start(t);
  await env.run(disruptionConditionsController(env));
  const passes = async (): Promise<number> => {
    const page = await env.page();
    const counts = page.matchAll(/reconcile_total\{controller="nodeclaim.disruption",result="\w+"\} (\d+)/g);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const before = await passes();
  await env.change(NODE_POOLS, 'default', { status: { nodes: 7 } });
  assert.equal(await passes(), before);
  await env.change(NODE_POOLS, 'default', { spec: { weight: 7 } });
  assert.ok((await passes()) > before);
});

test('04/66 a pool that is gone, and a NodeClaim of none, are left alone', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const nodeClaim = await env.create(NODE_CLAIMS, makeNodeClaim('c1'));
  await env.reconcile(disruptionConditionsController(env), 'c1');
  assert.equal(findCondition(await env.nodeClaim(), 'Consolidatable'), undefined);
  assert.equal((await env.nodeClaim()).metadata.resourceVersion, nodeClaim.metadata.resourceVersion);
});

test('09/39 the condition waits for the shorter of the waits of a pool', async (t) => {
  const env = await start(t);
  const after = (text: string) =>
    env.change(NODE_POOLS, 'default', { metadata: { annotations: { 'karpenter-ts.dev/consolidate-after': text } } });
  await after('empty=1m,underutilized=2h');
  await env.clock.advance(20 * SECOND);
  assert.deepEqual(await env.mark(), { requeueAfter: 40 * SECOND });
  await env.clock.advance(40 * SECOND);
  await env.mark();
  assert.equal((await env.condition('Consolidatable'))?.status, 'True');
  await after('empty=Never,underutilized=2h');
  await env.mark();
  assert.equal(await env.condition('Consolidatable'), undefined);
  await after('empty=Never,underutilized=Never');
  await env.clock.advance(3 * 60 * MINUTE);
  await env.mark();
  assert.equal(await env.condition('Consolidatable'), undefined);
});
