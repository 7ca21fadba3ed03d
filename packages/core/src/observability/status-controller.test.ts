import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NODES, timestamp } from '@karpenter-ts/kubernetes';
import { makeNode, makeNodeClaim, NODE_CLASSES } from '../testing/objects.ts';
import { type TestEnvironment, startTestEnvironment } from '../testing/test-environment.ts';
import { nodeClassStatusControllers, statusControllers } from './status-controller.ts';

async function start(t: Parameters<typeof startTestEnvironment>[0]): Promise<TestEnvironment> {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  await env.run(...statusControllers(env));
  return env;
}

function ready(env: TestEnvironment, status: 'True' | 'False', reason: string, message = ''): object {
  const lastTransitionTime = timestamp(env.clock.now());
  return { status: { conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime }] } };
}

test('03/126 a Node condition that changes is told of; one that is seen for the first time is not', async (t) => {
  const env = await start(t);
  await env.create(NODES, makeNode('n1', { ready: 'False' }));
  assert.equal(env.published.length, 0);
  await env.change(NODES, 'n1', ready(env, 'True', 'KubeletReady', 'kubelet is posting ready status'));
  assert.equal(env.published.length, 1);
  const [event] = env.published;
  assert.deepEqual([event?.type, event?.reason, event?.involvedObject.name], ['Normal', 'Ready', 'n1']);
  assert.equal(
    event?.message,
    'Status condition transitioned, Type: Ready, Status: False -> True, Reason: KubeletReady, Message: kubelet is posting ready status',
  );
  await env.change(NODES, 'n1', ready(env, 'True', 'Other'));
  assert.equal(env.published.length, 1);
});

test('05/59 a transition is counted under its new status, and its time under the old one', async (t) => {
  const env = await start(t);
  await env.create(NODES, makeNode('n1', { ready: 'False', labels: { 'karpenter.sh/nodepool': 'p' } }));
  await env.change(NODES, 'n1', ready(env, 'False', 'Starting'));
  await env.clock.advance(7 * SECOND);
  await env.change(NODES, 'n1', ready(env, 'True', 'KubeletReady'));
  const page = await env.page();
  const extra = 'karpenter_kwok_sh_kwoknodeclass="",karpenter_sh_initialized="",karpenter_sh_nodepool="p"';
  const transitions = 'operator_node_status_condition_transitions_total';
  assert.ok(page.includes(`${transitions}{${extra},reason="KubeletReady",status="True",type="Ready"} 1\n`), page);
  assert.ok(page.includes(`${transitions}{${extra},reason="Test",status="False",type="Ready"} 1\n`));
  const seconds = 'operator_node_status_condition_transition_seconds';
  assert.ok(page.includes(`${seconds}_sum{${extra},status="False",type="Ready"} 7\n`));
  assert.ok(page.includes(`${seconds}_bucket{${extra},status="False",type="Ready",le="8192"} 1\n`));
  assert.ok(!page.includes('operator_status_condition_transitions_total')); // Nodes do not count among all kinds
});

test('conditions of NodeClaims are shown with their age, for themselves and among all kinds', async (t) => {
  const env = await start(t);
  await env.create(NODE_CLAIMS, makeNodeClaim('c1', { labels: { 'karpenter.sh/nodepool': 'p' } }));
  await env.clock.advance(90 * SECOND);
  const page = await env.page();
  const condition = 'name="c1",namespace="",reason="AwaitingReconciliation",status="Unknown",type="Launched"';
  const own = `karpenter_kwok_sh_kwoknodeclass="default",karpenter_sh_nodepool="p",${condition}`;
  assert.ok(page.includes(`operator_nodeclaim_status_condition_count{${own}} 1\n`), page);
  assert.ok(page.includes(`operator_nodeclaim_status_condition_current_status_seconds{${own}} 90\n`));
  const shared = `group="karpenter.sh",kind="NodeClaim",${condition}`;
  assert.ok(page.includes(`operator_status_condition_count{${shared}} 1\n`));
  assert.ok(page.includes(`operator_status_condition_current_status_seconds{${shared}} 90\n`));
});

test('what is gone is not shown, how long it took is measured, and its finalizers are told of', async (t) => {
  const env = await start(t);
  const finalizers = ['karpenter.sh/termination', 'example.com/x'];
  await env.create(NODE_CLAIMS, makeNodeClaim('c1', { finalizers }));
  await env.delete(NODE_CLAIMS, 'c1');
  await env.clock.advance(1 * MINUTE);
  assert.match(await env.page(), /operator_nodeclaim_termination_current_time_seconds\{.*name="c1".*\} 60\n/);
  await env.change(NODE_CLAIMS, 'c1', { metadata: { finalizers: ['example.com/x'] } });
  await env.change(NODE_CLAIMS, 'c1', { metadata: { finalizers: null } });
  const told = env.published.filter(({ reason }) => reason === 'Finalized').map(({ message }) => message);
  assert.deepEqual(told, ['Finalized karpenter.sh/termination', 'Finalized example.com/x']);
  const page = await env.page();
  assert.ok(!page.includes('name="c1"'));
  assert.match(page, /operator_nodeclaim_termination_duration_seconds_sum\{.*\} 60\n/);
  assert.match(page, /operator_termination_duration_seconds_sum\{group="karpenter.sh",kind="NodeClaim"\} 60\n/);
});

test('a namesake is another object: its conditions are seen for the first time', async (t) => {
  const env = await start(t);
  await env.create(NODES, makeNode('n1', { ready: 'False' }));
  await env.delete(NODES, 'n1');
  await env.create(NODES, makeNode('n1', { ready: 'True' }));
  assert.equal(env.published.length, 0);
});

test('nothing is shown before the first pass, as on a replica that does not lead', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const [nodeClaims] = statusControllers(env);
  await env.create(NODE_CLAIMS, makeNodeClaim('c1'));
  assert.ok(!(await env.page()).includes('operator_'));
  await env.run(nodeClaims!);
  assert.ok((await env.page()).includes('operator_nodeclaim_status_condition_count'));
});

test('NodeClasses are shown if their provider names their conditions, with what the gate adds', async (t) => {
  const conditions = ({ reservedCapacity }: { readonly reservedCapacity: boolean }) => ({
    dependents: reservedCapacity ? ['SubnetsReady', 'ReservationsReady'] : ['SubnetsReady'],
  });
  const nodeClasses = [{ ...NODE_CLASSES, conditions }];
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider({ nodeClasses }) });
  const controllers = nodeClassStatusControllers(env);
  assert.deepEqual(
    controllers.map(({ name }) => name),
    [`operatorpkg.${NODE_CLASSES.kind.toLowerCase()}.status`],
  );
  await env.run(...controllers);
  await env.create(NODE_CLASSES, { metadata: { name: 'default', finalizers: ['example.com/termination'] } });
  const lastTransitionTime = timestamp(env.clock.now());
  const changed = { type: 'SubnetsReady', status: 'True', reason: 'SubnetsReady', message: '', lastTransitionTime };
  await env.change(NODE_CLASSES, 'default', { status: { conditions: [changed] } });
  assert.deepEqual(
    env.published.map(({ reason, message }) => [reason, message]),
    [
      [
        'SubnetsReady',
        'Status condition transitioned, Type: SubnetsReady, Status: Unknown -> True, Reason: SubnetsReady',
      ],
    ],
  );
  const page = await env.page();
  const kind = NODE_CLASSES.kind.toLowerCase();
  const waiting =
    'name="default",namespace="",reason="AwaitingReconciliation",status="Unknown",type="ReservationsReady"';
  assert.ok(page.includes(`operator_${kind}_status_condition_count{${waiting}} 1\n`), page);
  assert.ok(
    page.includes(
      `operator_status_condition_count{group="${NODE_CLASSES.group}",kind="${NODE_CLASSES.kind}",${waiting}} 1\n`,
    ),
  );
  assert.match(page, new RegExp(`operator_${kind}_status_condition_transition_seconds_bucket\\{.*le="0.005"\\}`));
  await env.delete(NODE_CLASSES, 'default');
  await env.change(NODE_CLASSES, 'default', { metadata: { finalizers: null } });
  assert.equal(env.published.at(-1)?.message, 'Finalized example.com/termination');
  assert.match(await env.page(), new RegExp(`operator_${kind}_termination_duration_seconds_count 1\\n`));
});

test('a provider that names no conditions of its NodeClasses has no such controller', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  assert.deepEqual(nodeClassStatusControllers(env), []);
});
