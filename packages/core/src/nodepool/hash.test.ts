import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODEPOOL_HASH_ANNOTATIONS, type NodeClaim, type NodePool, nodePoolHash } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { makeNodeClaim, makeNodePool } from '../testing/objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { hashController } from './hash.ts';

const { hash: HASH, version: VERSION } = NODEPOOL_HASH_ANNOTATIONS;

async function start(
  t: Parameters<typeof startTestEnvironment>[0],
  annotations: Readonly<Record<string, string>> = {},
) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const pool = await env.create(NODE_POOLS, makeNodePool('default', { annotations }));
  const controller = hashController(env);
  const stored = async (): Promise<readonly (string | undefined)[]> => {
    const { metadata } = await env.get<NodePool>(NODE_POOLS, 'default');
    return [metadata.annotations?.[HASH], metadata.annotations?.[VERSION]];
  };
  return { env, pool, stored, pass: () => env.reconcile(controller, 'default') };
}

test('03/103 04/61 the hash follows the template and nothing else', async (t) => {
  const { env, pool, stored, pass } = await start(t);
  await pass();
  const [first, version] = await stored();
  assert.deepEqual([first, version], [nodePoolHash(pool), 'v3']);
  const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }];
  await env.change(NODE_POOLS, 'default', {
    spec: {
      weight: 7,
      limits: { cpu: '9' },
      disruption: { consolidateAfter: '1h' },
      template: { spec: { requirements } },
    },
  });
  await pass();
  assert.equal((await stored())[0], first);
  await env.change(NODE_POOLS, 'default', { spec: { template: { metadata: { labels: { team: 'web' } } } } });
  await pass();
  assert.notEqual((await stored())[0], first);
});

test('03/104 04/68 NodeClaims hashed by another version are carried over before their pool', async (t) => {
  const { env, pool, stored, pass } = await start(t, { [HASH]: '7', [VERSION]: 'v2' });
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const drifted = { type: 'Drifted', status: 'True' as const, reason: 'X', message: '', lastTransitionTime };
  const add = (name: string, version: string, status?: NodeClaim['status']): Promise<NodeClaim> =>
    env.create(
      NODE_CLAIMS,
      makeNodeClaim(name, { pool, annotations: { [HASH]: '7', [VERSION]: version }, ...(status && { status }) }),
    );
  await add('old', 'v2');
  await add('drifted', 'v2', { conditions: [drifted] });
  await add('current', 'v3');
  env.writes.length = 0;
  await pass();
  const hashOf = async (name: string): Promise<readonly (string | undefined)[]> => {
    const { annotations } = (await env.get<NodeClaim>(NODE_CLAIMS, name)).metadata;
    return [annotations?.[HASH], annotations?.[VERSION]];
  };
  assert.deepEqual(await hashOf('old'), [nodePoolHash(pool), 'v3']);
  assert.deepEqual(await hashOf('drifted'), ['7', 'v3']);
  assert.deepEqual(await hashOf('current'), ['7', 'v3']);
  assert.deepEqual(await stored(), [nodePoolHash(pool), 'v3']);
  assert.equal(env.writes.length, 3);
  assert.match(env.writes.at(-1) ?? '', /nodepools\/default$/);
});

test('03/104 a NodeClaim that could not be carried over keeps its pool at the old version', async (t) => {
  const { env, pool, stored, pass } = await start(t, { [HASH]: '7', [VERSION]: 'v2' });
  await env.create(NODE_CLAIMS, makeNodeClaim('old', { pool, annotations: { [HASH]: '7', [VERSION]: 'v2' } }));
  env.refusals.add({ method: 'PATCH', path: /nodeclaims\/old$/, code: 500 });
  await assert.rejects(pass());
  assert.deepEqual(await stored(), ['7', 'v2']);
});

test('01/100 stale versions are brought up to date without drift', async (t) => {
  const { env, pool, pass } = await start(t, { [HASH]: '7', [VERSION]: 'v1' });
  await env.create(NODE_CLAIMS, makeNodeClaim('old', { pool, annotations: { [HASH]: '5', [VERSION]: 'v1' } }));
  await pass();
  const { annotations } = (await env.get<NodeClaim>(NODE_CLAIMS, 'old')).metadata;
  assert.equal(annotations?.[HASH], nodePoolHash(pool));
});

test('01/102 what upstream 1.14 has annotated is left as it is', async (t) => {
  const { env, pool, pass } = await start(t);
  const annotations = { [HASH]: nodePoolHash(pool), [VERSION]: 'v3' };
  await env.change(NODE_POOLS, 'default', { metadata: { annotations } });
  env.writes.length = 0;
  await pass();
  assert.deepEqual(env.writes, []);
});
