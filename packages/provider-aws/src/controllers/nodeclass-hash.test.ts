// The hash by which static drift is detected, on an API server in the process.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  EC2NODECLASS_HASH_ANNOTATIONS,
  type EC2NodeClass,
  ec2NodeClassHash,
  isStaticallyDrifted,
  NODE_CLAIMS,
  type NodeClaim,
} from '@karpenter-ts/apis';
import { SECOND } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { nodeClassHashController } from './nodeclass-hash.ts';

const { hash: HASH, version: VERSION } = EC2NODECLASS_HASH_ANNOTATIONS;
const CA = 'test-ca-bundle';

async function start(t: TestContext, caBundle: string = CA) {
  const env = await ProviderEnvironment.start(t);
  const controller = nodeClassHashController({ ...env, cluster: { caBundle } });
  const annotationsOf = async (type: typeof EC2_NODE_CLASSES | typeof NODE_CLAIMS, name: string) => {
    const { metadata } = await env.get<EC2NodeClass | NodeClaim>(type, name);
    return [metadata.annotations?.[HASH], metadata.annotations?.[VERSION]];
  };
  const add = (spec: object, annotations: object = {}) =>
    env.create<EC2NodeClass>(EC2_NODE_CLASSES, { metadata: { name: 'default', annotations }, spec } as never);
  return {
    env,
    controller,
    add,
    ofClass: () => annotationsOf(EC2_NODE_CLASSES, 'default'),
    ofClaim: (name: string) => annotationsOf(NODE_CLAIMS, name),
    pass: () => env.reconcile(controller, 'default'),
  };
}

test('08/155 the hash follows what nodes are launched with, and no selector', async (t) => {
  const { env, controller, add, ofClass } = await start(t);
  await env.run(controller);
  const created = await add({ userData: 'one', subnetSelectorTerms: [{ id: 'subnet-1' }] });
  await env.clock.advance(1 * SECOND);
  const first = await ofClass();
  assert.deepEqual(first, [ec2NodeClassHash(created, { clusterCaBundle: CA }), 'v5']);
  await env.change(EC2_NODE_CLASSES, 'default', { spec: { subnetSelectorTerms: [{ id: 'subnet-2' }] } });
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(await ofClass(), first);
  const launchedWith = (await env.get<EC2NodeClass>(EC2_NODE_CLASSES, 'default')).metadata.annotations;
  const changed = await env.change<EC2NodeClass>(EC2_NODE_CLASSES, 'default', { spec: { userData: 'two' } });
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(await ofClass(), [ec2NodeClassHash(changed, { clusterCaBundle: CA }), 'v5']);
  const { metadata } = await env.get<EC2NodeClass>(EC2_NODE_CLASSES, 'default');
  assert.equal(isStaticallyDrifted(metadata.annotations, launchedWith, EC2NODECLASS_HASH_ANNOTATIONS), true);
});

test('08/82 another CA bundle of the cluster is another hash', async (t) => {
  const one = await start(t);
  const other = await start(t, 'other-ca-bundle');
  for (const { add, pass } of [one, other]) {
    await add({ userData: 'one' });
    await pass();
  }
  assert.notEqual((await one.ofClass())[0], (await other.ofClass())[0]);
});

test('08/83 NodeClaims with a hash of another version take the present one, unless they have drifted', async (t) => {
  const { env, add, ofClass, ofClaim, pass } = await start(t);
  const outdated = { [HASH]: '7', [VERSION]: 'v4' };
  await add({ userData: 'one' }, outdated);
  const drifted = { type: 'Drifted', status: 'True', reason: 'AMIDrift', message: '' } as const;
  const conditions = [{ ...drifted, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await env.addNodeClaim('old', { annotations: outdated });
  await env.addNodeClaim('bare');
  await env.addNodeClaim('drifted', { annotations: outdated, status: { conditions } });
  await env.addNodeClaim('present', { annotations: { [HASH]: '9', [VERSION]: 'v5' } });
  await env.addNodeClaim('other', {
    annotations: outdated,
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'other' } },
  });
  env.writes.length = 0;
  await pass();
  const wanted = await ofClass();
  assert.equal(wanted[1], 'v5');
  assert.deepEqual(await ofClaim('old'), wanted);
  assert.deepEqual(await ofClaim('bare'), wanted);
  assert.deepEqual(await ofClaim('drifted'), ['7', 'v5']);
  assert.deepEqual(await ofClaim('present'), ['9', 'v5']);
  assert.deepEqual(await ofClaim('other'), ['7', 'v4']);
  assert.match(env.writes.at(-1)!, /ec2nodeclasses\/default$/); // after its NodeClaims
});

test('08/84 with an equal version NodeClaims keep their hash, and nothing is written twice', async (t) => {
  const { env, add, ofClass, ofClaim, pass } = await start(t);
  await add({ userData: 'one' }, { [HASH]: '7', [VERSION]: 'v5' });
  await env.addNodeClaim('old', { annotations: { [HASH]: '8', [VERSION]: 'v5' } });
  await pass();
  assert.deepEqual(await ofClaim('old'), ['8', 'v5']);
  assert.notEqual((await ofClass())[0], '7');
  env.writes.length = 0;
  await pass();
  assert.deepEqual(env.writes, []);
});

test('a NodeClaim that cannot be written keeps the NodeClass at its version, and one that is gone does not', async (t) => {
  const { env, add, ofClass, ofClaim, pass } = await start(t);
  await add({ userData: 'one' }, { [HASH]: '7', [VERSION]: 'v4' });
  await env.addNodeClaim('one', { annotations: { [HASH]: '7', [VERSION]: 'v4' } });
  env.refusals.add({ method: 'PATCH', path: /nodeclaims\/one$/, code: 500 });
  await assert.rejects(pass());
  assert.deepEqual(await ofClass(), ['7', 'v4']);
  env.refusals.add({ method: 'PATCH', path: /nodeclaims\/one$/, code: 404 });
  await pass();
  assert.equal((await ofClass())[1], 'v5');
  assert.deepEqual(await ofClaim('one'), ['7', 'v4']);
});
