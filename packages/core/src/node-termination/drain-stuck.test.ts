import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { PODS } from '@karpenter-ts/kubernetes';
import { PodDisruptionBudgets } from '../pods/disruption-budgets.ts';
import { drainStuckController } from './drain-stuck.ts';
import { startTerminationEnvironment, type TerminationEnvironment } from './testing/termination-environment.ts';

const SELECTOR = { matchLabels: { app: 'web' } };

const controllerOf = (env: TerminationEnvironment) =>
  drainStuckController({ ...env, podDisruptionBudgets: new PodDisruptionBudgets(env.caches) });

const STUCK = /^karpenter_ext_drain_stuck\{.*\} \d+$/gm;
const stuck = async (env: TerminationEnvironment) =>
  ((await env.page()).match(STUCK) ?? []).map((line) => line.replace(/.*blocker="(\w+)".* (\d+)$/, '$1 $2'));

test('09/71 a drain stuck for 15 minutes shows in a gauge and in events that name the pod and its budget', async (t) => {
  const env = await startTerminationEnvironment(t);
  const controller = controllerOf(env);
  await env.addPod('web', { metadata: { labels: { app: 'web' } } });
  await env.addBudget('b', { maxUnavailable: 0, selector: SELECTOR }, 0);
  await env.deleteNode();
  await env.clock.advance(15 * MINUTE - 1 * SECOND);
  assert.deepEqual(await env.reconcile(controller, ''), { requeueAfter: 1 * MINUTE });
  assert.deepEqual([await stuck(env), env.messages('DrainStuck')], [[], []]);
  await env.clock.advance(1 * SECOND);
  await env.reconcile(controller, '');
  const message = 'Draining for 15m0s, waiting for default/web (PodDisruptionBudget default/b)';
  assert.deepEqual(await stuck(env), ['pdb 1']);
  assert.deepEqual(env.messages('DrainStuck'), [message, message]); // on Node and NodeClaim
  await env.clock.advance(59 * MINUTE);
  await env.reconcile(controller, '');
  assert.equal(env.messages('DrainStuck').length, 2);
  await env.clock.advance(2 * MINUTE);
  await env.reconcile(controller, '');
  assert.equal(env.messages('DrainStuck').length, 4);
});

test('09/71 a finalizer is named with its pod, and the first of several blockers is counted', async (t) => {
  const env = await startTerminationEnvironment(t);
  const controller = controllerOf(env);
  await env.addPod('held', { metadata: { finalizers: ['example.com/keep'] } });
  await env.addPod('late', { spec: { terminationGracePeriodSeconds: 7200 } });
  await env.deleteNode();
  for (const name of ['held', 'late']) await env.client.delete(PODS, { name, namespace: 'default' });
  await env.clock.advance(16 * MINUTE);
  await env.reconcile(controller, '');
  assert.deepEqual(await stuck(env), ['finalizer 1']);
  const [message = ''] = env.messages('DrainStuck');
  assert.match(message, /default\/held \(finalizer example\.com\/keep\)/);
  assert.match(message, /default\/late \(terminating\)/);
});

test('do-not-disrupt pods and volumes are told, and the gauge ends with the drain', async (t) => {
  const env = await startTerminationEnvironment(t);
  const controller = controllerOf(env);
  await env.addPod('precious', { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } });
  await env.attach('volume');
  await env.deleteNode();
  await env.clock.advance(20 * MINUTE);
  await env.reconcile(controller, '');
  assert.deepEqual(await stuck(env), ['do_not_disrupt 1']);
  const [message = ''] = env.messages('DrainStuck');
  assert.match(message, /default\/precious \(do-not-disrupt\), VolumeAttachment volume/);
  await env.stopPod('precious');
  await env.reconcile(controller, '');
  assert.deepEqual(await stuck(env), ['volume 1']);
});
