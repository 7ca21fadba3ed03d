import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@karpenter-ts/kubernetes';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { CAPACITY_TYPE_LABEL, NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import { makeNodePool } from '../testing/objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { validationController } from './validation.ts';

async function validate(
  t: Parameters<typeof startTestEnvironment>[0],
  template: NonNullable<Parameters<typeof makeNodePool>[1]>['template'],
) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  await env.create(NODE_POOLS, makeNodePool('default', { template: template ?? {} }));
  await env.reconcile(validationController(env), 'default');
  const pool = await env.get<NodePool>(NODE_POOLS, 'default');
  return { env, validation: findCondition(pool, 'ValidationSucceeded'), ready: findCondition(pool, 'Ready') };
}

const capacityTypes = (...values: readonly string[]) => ({
  requirements: [{ key: CAPACITY_TYPE_LABEL, operator: 'In' as const, values }],
});

test('03/102 a pool that asks only for unknown capacity types is invalid, and not ready', async (t) => {
  const { validation, ready } = await validate(t, capacityTypes('xspot'));
  assert.deepEqual([validation?.status, validation?.reason], ['False', 'NodePoolValidationFailed']);
  assert.match(validation?.message ?? '', /no valid values found in \[xspot\] for karpenter.sh\/capacity-type/);
  assert.equal(ready?.status, 'False');
});

test('03/102 one that asks for known ones, too, is valid, and somebody hears of the others', async (t) => {
  const { env, validation } = await validate(t, capacityTypes('on-demand', 'xspot'));
  assert.deepEqual([validation?.status, validation?.reason], ['True', 'ValidationSucceeded']);
  const line = env.logger.lines.find(({ level }) => level === 'error');
  assert.equal(line?.message, 'please correct found invalid values, proceeding with valid values');
  assert.equal(line.error, 'invalid values found for key');
  assert.deepEqual(
    ['key', 'valid-values', 'invalid-values'].map((key) => line.fields[key]),
    [CAPACITY_TYPE_LABEL, ['on-demand'], ['xspot']],
  );
});

test('03/102 a taint whose key is too long makes the pool invalid', async (t) => {
  const { validation } = await validate(t, { taints: [{ key: 'x'.repeat(64), effect: 'NoSchedule' }] });
  assert.equal(validation?.status, 'False');
});

test('a pool that was mended is valid again, and one that stays as it is is not written', async (t) => {
  const { env } = await validate(t, capacityTypes('xspot'));
  const controller = validationController(env);
  env.writes.length = 0;
  await env.reconcile(controller, 'default');
  assert.deepEqual(env.writes, []);
  await env.change(NODE_POOLS, 'default', { spec: { template: { spec: { requirements: [] } } } });
  await env.reconcile(controller, 'default');
  const pool = await env.get<NodePool>(NODE_POOLS, 'default');
  assert.equal(findCondition(pool, 'ValidationSucceeded')?.status, 'True');
});
