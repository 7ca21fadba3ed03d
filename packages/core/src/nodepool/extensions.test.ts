import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findCondition } from '@karpenter-ts/kubernetes';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import type { OperatorOptions } from '../options/operator-options.ts';
import { NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import { conditionOf } from '../testing/cluster-objects.ts';
import { makeNodePool } from '../testing/objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { extensionsController } from './extensions.ts';

const POLICY = 'karpenter-ts.dev/packing-policy';
const WRONG = `${POLICY}: "Cheap" is neither CostAware nor Upstream; Upstream is used`;

async function start(t: TestContext, options: Partial<OperatorOptions> = {}) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider(), options });
  const controller = extensionsController(env);
  const conditions = ['ValidationSucceeded', 'NodeClassReady', 'Ready'].map((type) => conditionOf(type));
  await env.create(NODE_POOLS, { ...makeNodePool('default'), status: { nodes: 0, conditions } });
  return {
    env,
    /** Sets the annotation, and says what the pool looks like after a pass. */
    async annotate(value: string | null) {
      await env.change(NODE_POOLS, 'default', { metadata: { annotations: { [POLICY]: value } } });
      await env.reconcile(controller, 'default');
      const pool = await env.get<NodePool>(NODE_POOLS, 'default');
      const { status, reason, message } = findCondition(pool, 'ExtensionsValid') ?? {};
      return { condition: [status, reason, message], ready: findCondition(pool, 'Ready')?.status };
    },
    told: () => env.published.map(({ type, reason, message }) => [type, reason, message]),
  };
}

test('a bad annotation shows in a condition that keeps no pool from being ready, and in an event', async (t) => {
  const { annotate, told } = await start(t);
  assert.deepEqual(await annotate('Cheap'), { condition: ['False', 'InvalidAnnotation', WRONG], ready: 'True' });
  assert.deepEqual(told(), [['Warning', 'InvalidExtension', WRONG]]);
});

test('the condition becomes true with a good value and goes with the annotation', async (t) => {
  const { annotate, env, told } = await start(t);
  await annotate('Cheap');
  assert.deepEqual((await annotate('CostAware')).condition, ['True', 'ExtensionsValid', '']);
  assert.deepEqual((await annotate(null)).condition, [undefined, undefined, undefined]);
  env.writes.length = 0;
  await env.reconcile(extensionsController(env), 'default');
  assert.deepEqual(env.writes, []);
  assert.equal(told().length, 1);
});

test('one annotation is told once an hour, however often a pool changes', async (t) => {
  const { annotate, env, told } = await start(t);
  await annotate('Cheap');
  await annotate('Upstream');
  await annotate('Cheap');
  assert.equal(told().length, 1);
  await env.clock.advance(61 * 60 * 1000);
  await annotate('Cheap');
  assert.equal(told().length, 2);
});

test('09/117 an extension that is off finds nothing wrong, and says that it is off', async (t) => {
  const { annotate, told } = await start(t, { extensions: new Set(['B1']) });
  const off = `${POLICY}: switched off by --extensions`;
  assert.deepEqual((await annotate('Cheap')).condition, ['True', 'ExtensionsValid', off]);
  assert.deepEqual(told(), []);
});
