import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { InstanceStatus } from '@aws-sdk/client-ec2';
import { TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import { HOUR, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { AwsError } from '../api/aws-error.ts';
import { NodeClaimsByInstance } from '../instances/node-claims-by-instance.ts';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { instanceStatusController, unhealthyStatuses } from './instance-status.ts';

const ID = (instance: string) => `aws:///us-west-2a/${instance}`;

/** A cluster with the NodeClaim `claim-1`, whose instance is `i-1`. */
async function environment(t: TestContext) {
  const env = await ProviderEnvironment.start(t);
  await env.clock.advance(2 * HOUR);
  const addNodeClaim = (name: string, instance: string) =>
    env.addNodeClaim(name, { finalizers: ['test/keep'], status: { providerID: ID(instance) } });
  await addNodeClaim('claim-1', 'i-1');
  const ec2 = {
    statuses: [] as readonly InstanceStatus[],
    failure: undefined as Error | undefined,
    describeInstanceStatus: async () => {
      if (ec2.failure !== undefined) throw ec2.failure;
      return { $metadata: {}, InstanceStatuses: [...ec2.statuses] };
    },
  };
  const nodeClaims = new NodeClaimsByInstance(env.caches.nodeClaims);
  const controller = instanceStatusController({ ...env, deleteNodeClaim: env.deleteNodeClaim, ec2, nodeClaims });
  const failed = (age: number) => ({
    Details: [{ Name: 'reachability', Status: 'failed', ImpairedSince: new Date(env.clock.now() - age) }] as const,
  });
  const poll = (...statuses: readonly InstanceStatus[]) => {
    ec2.statuses = statuses;
    return env.reconcile(controller, '');
  };
  const annotation = async (name = 'claim-1') =>
    (await env.findNodeClaim(name))?.metadata.annotations?.[TERMINATION_TIMESTAMP];
  const count = (category: string) => env.metrics.find(unhealthyStatuses, { category }) ?? 0;
  return { env, ec2, poll, failed, annotation, count, addNodeClaim };
}

const system = (failed: object, InstanceId = 'i-1') => ({ InstanceId, SystemStatus: failed }) as InstanceStatus;
const instance = (failed: object, InstanceId = 'i-1') => ({ InstanceId, InstanceStatus: failed }) as InstanceStatus;
const EVENT: InstanceStatus = { InstanceId: 'i-1', Events: [{ Code: 'instance-retirement', Description: 'retires' }] };

test('07/110, 08/118 an instance whose system check has failed for an hour is given up without a drain', async (t) => {
  const { env, poll, failed, annotation, count } = await environment(t);
  await env.addNode('node-1', ID('i-1'));
  assert.deepEqual(await poll(system(failed(HOUR))), { requeueAfter: 1 * MINUTE });
  assert.equal(await annotation(), '2026-01-01T02:00:00Z');
  assert.deepEqual(env.deleted, ['claim-1: system_status']);
  assert.equal(count('SystemStatus'), 1);
  assert.deepEqual(env.eventTexts(), [
    'NodeClaim/claim-1 InstanceUnhealthy: An unhealthy warning was triggered for the instance',
    'Node/node-1 InstanceUnhealthy: An unhealthy warning was triggered for the instance',
    'NodeClaim/claim-1 TerminatingOnInterruption: Interruption triggered termination for the NodeClaim',
    'Node/node-1 TerminatingOnInterruption: Interruption triggered termination for the Node',
  ]);
  const line = env.logger.lines.find(({ message }) => message === 'detected unhealthy instance owned by cluster');
  assert.deepEqual([line?.fields['instanceID'], line?.fields['category']], ['i-1', 'SystemStatus']);
});

test('07/110, 08/118 a check that fails for less than two minutes changes nothing', async (t) => {
  const { env, poll, failed, count } = await environment(t);
  await poll(system(failed(119 * SECOND)), instance(failed(60 * SECOND)));
  assert.deepEqual(env.deleted, []);
  assert.equal(count('SystemStatus'), 0);
  assert.deepEqual(env.eventTexts(), []);
});

test('07/110, 08/118 before a retirement the NodeClaim is deleted and its Node drained', async (t) => {
  const { env, poll, annotation, count } = await environment(t);
  await poll(EVENT);
  assert.deepEqual(env.deleted, ['claim-1: event_status']);
  assert.equal(await annotation(), undefined);
  assert.equal(count('EventStatus'), 1);
});

test('07/110, 08/118 with a failed check and an event ahead, nothing is drained', async (t) => {
  const { env, poll, failed, annotation } = await environment(t);
  await poll({ ...EVENT, ...system(failed(HOUR)) });
  assert.notEqual(await annotation(), undefined);
  assert.deepEqual(env.deleted, ['claim-1: system_status']);
});

test('07/110 an instance that breaks while it is drained is drained no longer', async (t) => {
  const { env, poll, failed, annotation } = await environment(t);
  await poll(EVENT);
  assert.equal(await annotation(), undefined);
  await poll({ ...EVENT, ...system(failed(HOUR)) });
  assert.notEqual(await annotation(), undefined);
  assert.equal(env.deleted.length, 1);
});

test('05/62, 07/111, 08/120 an instance that stays unhealthy is counted once, and again after it recovered', async (t) => {
  const { env, poll, failed, count } = await environment(t);
  for (let round = 0; round < 3; round++) await poll(system(failed(HOUR)));
  assert.equal(count('SystemStatus'), 1);
  assert.equal(env.deleted.length, 1);
  await poll();
  await poll(system(failed(HOUR)));
  assert.equal(count('SystemStatus'), 2);
});

test('08/151 two instances count twice, and one in two categories once in each', async (t) => {
  const { poll, failed, count, addNodeClaim } = await environment(t);
  await addNodeClaim('claim-2', 'i-2');
  await poll({ ...system(failed(HOUR)), ...instance(failed(HOUR)) }, system(failed(HOUR), 'i-2'));
  assert.deepEqual([count('SystemStatus'), count('InstanceStatus')], [2, 1]);
});

test('an instance of nobody here is neither counted nor logged', async (t) => {
  const { env, poll, failed, count } = await environment(t);
  await poll(system(failed(HOUR), 'i-foreign'));
  assert.equal(count('SystemStatus'), 0);
  assert.deepEqual(env.logger.lines.filter(({ level }) => level === 'info').length, 0);
});

test('05/87, 07/112, 08/121 without permission one error names it, and polling goes on slowly until it is given', async (t) => {
  const { env, ec2, poll, failed } = await environment(t);
  ec2.failure = new AwsError('UnauthorizedOperation', 'You are not authorized to perform this operation.');
  for (let round = 0; round < 3; round++) assert.deepEqual(await poll(), { requeueAfter: 10 * MINUTE });
  const errors = env.logger.lines.filter(({ level }) => level === 'error');
  assert.deepEqual(
    errors.map(({ message }) => message),
    [
      'ec2:DescribeInstanceStatus permission is not allowed, update the IAM policy and restart the Karpenter deployment to enable instance status health checks',
    ],
  );
  ec2.failure = undefined;
  assert.deepEqual(await poll(system(failed(HOUR))), { requeueAfter: 1 * MINUTE });
  assert.equal(env.deleted.length, 1);
});

test('any other failure is an error, and what is unhealthy stays counted', async (t) => {
  const { ec2, poll, failed, count } = await environment(t);
  await poll(system(failed(HOUR)));
  ec2.failure = new AwsError('InternalError', 'out of order');
  await assert.rejects(poll(), {
    message:
      'getting instance statuses, failed describing ec2 instance status checks, api error InternalError: out of order',
  });
  ec2.failure = undefined;
  await poll(system(failed(HOUR)));
  assert.equal(count('SystemStatus'), 1);
});

test('one NodeClaim that cannot be deleted does not keep the others', async (t) => {
  const { env, poll, failed, addNodeClaim } = await environment(t);
  await addNodeClaim('claim-2', 'i-2');
  env.refusals.add({ method: 'DELETE', path: /nodeclaims\/claim-1$/, code: 500, times: 100 });
  await assert.rejects(
    poll(EVENT, system(failed(HOUR), 'i-2')),
    /^Error: handling instance status check message, acting on NodeClaims, /,
  );
  assert.deepEqual(env.deleted, ['claim-2: system_status']);
});
