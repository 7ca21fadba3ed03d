// What a pass leaves behind for those who explain it: the reasons, the plan and the decisions, as data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pendingPod, readyPool } from '../testing/cluster-objects.ts';
import { startProvisioningEnvironment } from './testing/provisioning-environment.ts';

test('why pods have no node is remembered as data, and equal pods share one failure', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const custom = { 'karpenter.sh/custom': 'x' };
  await env.add([readyPool('default')]);
  for (const name of ['a', 'b']) {
    await env.add([], [pendingPod(`huge-${name}`, { requests: { cpu: '1000' } })]);
    await env.add([], [pendingPod(`refused-${name}`, { nodeSelector: custom })]);
  }
  await env.pass();
  const failureOf = (name: string) => env.cluster.decisions.find(`default/${name}`)?.failure;
  assert.equal(failureOf('huge-a')?.why, 'PoolsRefused');
  assert.equal(failureOf('huge-a'), failureOf('huge-b'));
  assert.equal(failureOf('refused-a')?.why, 'Ignored');
  assert.equal(failureOf('refused-a'), failureOf('refused-b'));
});

test('the last plan is kept with its failures and its time, until another is made', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const { lastPlan } = env.deps;
  await env.add([readyPool('default')]);
  await env.pass();
  assert.equal(lastPlan.made, undefined);
  await env.add(
    [],
    [pendingPod('small', { requests: { cpu: '1' } }), pendingPod('huge', { requests: { cpu: '1000' } })],
  );
  await env.pass();
  const { plan, madeAt, plannerMs } = lastPlan.made!;
  assert.equal(madeAt, env.clock.now());
  assert.ok(plannerMs >= 0);
  assert.deepEqual(
    plan.newNodes.map(({ pods }) => pods.map(({ pod }) => pod.metadata.name)),
    [['small']],
  );
  assert.deepEqual(
    plan.unschedulable.map(({ pod, failure }) => [pod.metadata.name, failure.why]),
    [['huge', 'PoolsRefused']],
  );
  await env.launch();
  await env.pass();
  assert.notEqual(lastPlan.made!.plan, plan);
});

test('each NodeClaim is a decision with its pods and its price, and one that cannot be created says why', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const requests = { cpu: '3' };
  const pods = ['a', 'b'].map((name) => pendingPod(name, { requests, nodeSelector: { size: 'small' } }));
  await env.add([readyPool('default')], pods);
  env.refusals.add({ method: 'POST', path: /nodeclaims$/, code: 422, times: 1 });
  await assert.rejects(env.pass());
  const [claim] = await env.nodeClaims();
  const made = env.deps.decisions.list();
  const succeeded = made.find(({ outcome }) => outcome.state === 'succeeded')!;
  const failed = made.find(({ outcome }) => outcome.state === 'failed')!;
  assert.equal(made.length, 2);
  assert.deepEqual(succeeded.objects, [
    { kind: 'NodePool', name: 'default' },
    { kind: 'NodeClaim', name: claim!.metadata.name },
  ]);
  assert.deepEqual(failed.objects, [{ kind: 'NodePool', name: 'default' }]);
  assert.deepEqual(failed.outcome, { state: 'failed', at: env.clock.now(), error: 'refused' });
  assert.deepEqual(made.flatMap((one) => one.pods).sort(), ['default/a', 'default/b']);
  for (const { kind, pricePerHour, podCount } of made) {
    assert.deepEqual([kind, pricePerHour.before, podCount], ['provision', 0, 1]);
    assert.ok(pricePerHour.after > 0);
  }
});
