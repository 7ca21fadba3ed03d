// What each scenario for AWS that comes with us shows is what happens, up to its end.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, NODE_CLAIMS, type NodeClaim, ZONE_LABEL } from '@karpenter-ts/apis';
import type { ApiObject, ResourceType } from '@karpenter-ts/kubernetes';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { type PlayedScenario, startScenario } from './testing-scenario.ts';

/** What the pools of most scenarios choose from. */
const INSTANCE_TYPES = ['c7i', 'c7g', 'm7i', 'm7g'].flatMap((family) => [`${family}.xlarge`, `${family}.2xlarge`]);

async function started(t: TestContext, name: string, expectedErrors?: RegExp): Promise<PlayedScenario> {
  const errors = expectedErrors && { expectedErrors };
  const scenario = await startScenario(name, { instanceTypes: INSTANCE_TYPES, ...errors });
  t.after(() => scenario.stop());
  return scenario;
}

/** All pods run, and no node is on its way or going. */
async function assertSettled(scenario: PlayedScenario, running: number): Promise<void> {
  const { pods, nodes } = await scenario.figures();
  assert.deepEqual(pods, { running, pending: 0, terminating: 0 });
  assert.deepEqual({ ...nodes, ready: 0 }, { ready: 0, starting: 0, silent: 0, terminating: 0 });
}

/** How many nodes have each value of a label. */
async function countBy({ nodes }: PlayedScenario, label: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { metadata } of await nodes()) {
    const value = metadata.labels?.[label] ?? '';
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

/** The names of the images that the nodes run, each once, without what they say of the architecture. */
async function images({ client, account }: PlayedScenario): Promise<readonly string[]> {
  const { items } = await client.listAll<NodeClaim>(NODE_CLAIMS);
  const names = items.map(({ status }) => account!.emulator.ec2.findImage(status?.imageID ?? '')?.name ?? '');
  return [...new Set(names.map((name) => name.replace(/x86_64|arm64/, 'ARCH')))].sort();
}

const EC2_NODE_CLASSES: ResourceType = {
  group: 'karpenter.k8s.aws',
  version: 'v1',
  plural: 'ec2nodeclasses',
  kind: 'EC2NodeClass',
  namespaced: false,
};

type Conditioned = ApiObject & {
  readonly status: { readonly conditions: readonly { type: string; status: string; message: string }[] };
};

/** `status: message` of a condition of the NodeClass. */
async function condition({ client }: PlayedScenario, type: string): Promise<string> {
  const { status } = await client.get<Conditioned>(EC2_NODE_CLASSES, { name: 'default' });
  const found = status.conditions.find((one) => one.type === type);
  return `${found?.status}: ${found?.message}`;
}

test('aws-scale-out: a hundred pods get nodes, a service doubles, then the price falls', async (t) => {
  const scenario = await startScenario('aws-scale-out');
  t.after(() => scenario.stop());
  await scenario.pass(25 * SECOND);
  const before = await scenario.figures();
  assert.equal(before.pods.pending, 0);
  assert.ok(before.pods.running > 100);
  assert.deepEqual(Object.keys(await countBy(scenario, CAPACITY_TYPE_LABEL)).sort(), ['on-demand', 'spot']);
  await scenario.pass(60 * SECOND);
  const peak = await scenario.figures();
  assert.ok(peak.pods.running >= 180);
  await scenario.pass(6 * MINUTE);
  const { pods, pricePerHour } = await scenario.figures();
  assert.equal(pods.pending, 0);
  assert.ok(pricePerHour < 0.8 * peak.pricePerHour, `${peak.pricePerHour} → ${pricePerHour}`);
});

test('ami-roll: all nodes run the image that the alias names, and at most two were replaced at a time', async (t) => {
  const scenario = await started(t, 'ami-roll');
  await scenario.pass(55 * SECOND);
  await assertSettled(scenario, 36);
  assert.deepEqual(await images(scenario), ['amazon-eks-node-al2023-ARCH-standard-1.35-v20260601']);
  await scenario.pass(5 * MINUTE);
  await assertSettled(scenario, 36);
  assert.deepEqual(await images(scenario), ['amazon-eks-node-al2023-ARCH-standard-1.35-v20260701']);
  assert.ok(scenario.mostDisrupted === 1 || scenario.mostDisrupted === 2, String(scenario.mostDisrupted));
  assert.ok(scenario.commands.length > 0);
  assert.ok(scenario.commands.every((command) => /^Drifted: (replace|delete): /.test(command)));
});

test('cluster-upgrade: the nodes follow the control plane within minutes, one at a time', async (t) => {
  const scenario = await started(t, 'cluster-upgrade');
  await scenario.pass(55 * SECOND);
  const { nodes } = await scenario.figures();
  await assertSettled(scenario, 20 + nodes.ready);
  assert.deepEqual(await images(scenario), ['amazon-eks-node-al2023-ARCH-standard-1.35-v20260601']);
  await scenario.pass(8 * MINUTE);
  await assertSettled(scenario, 20 + nodes.ready);
  assert.deepEqual(await images(scenario), ['amazon-eks-node-al2023-ARCH-standard-1.36-v20260601']);
  assert.equal(scenario.mostDisrupted, 1);
});

test('spot-interruption: nodes are drained and replaced before their instances end', async (t) => {
  const scenario = await started(t, 'spot-interruption');
  await scenario.pass(55 * SECOND);
  await assertSettled(scenario, 60);
  const before = new Set((await scenario.nodes('spot')).map(({ metadata }) => metadata.name));
  await scenario.pass(65 * SECOND); // half of the notice
  await assertSettled(scenario, 60);
  const kept = (await scenario.nodes('spot')).filter(({ metadata }) => before.has(metadata.name));
  assert.equal(kept.length, before.size - 4);
  assert.equal((await scenario.messages('SpotInterrupted')).length, 1);
  await scenario.pass(4 * MINUTE);
  await assertSettled(scenario, 60);
  const { ec2, sqs } = scenario.account!.emulator;
  assert.equal(sqs.size('my-cluster'), 0);
  const ended = ec2.instances().filter(({ state }) => state === 'terminated');
  assert.deepEqual(ended.length, 5);
});

test('capacity-drought: other zones, then on-demand instances, then spot again', async (t) => {
  const scenario = await started(t, 'capacity-drought', /UnfulfillableCapacity/);
  await scenario.pass(55 * SECOND);
  await assertSettled(scenario, 12);
  const zones = await countBy(scenario, ZONE_LABEL);
  assert.equal(zones['us-east-1a'], undefined);
  assert.deepEqual(Object.keys(await countBy(scenario, CAPACITY_TYPE_LABEL)), ['spot']);
  const spot = (await countBy(scenario, CAPACITY_TYPE_LABEL))['spot']!;
  await scenario.pass(60 * SECOND);
  await assertSettled(scenario, 24);
  const during = await countBy(scenario, CAPACITY_TYPE_LABEL);
  assert.equal(during['spot'], spot);
  assert.ok(during['on-demand']! > 0);
  await scenario.pass(5 * MINUTE);
  await assertSettled(scenario, 36);
  const after = await countBy(scenario, CAPACITY_TYPE_LABEL);
  assert.equal(after['on-demand'], during['on-demand']);
  assert.ok(after['spot']! > spot);
});

test('reserved-first: what is paid for is used first, the rest is on demand, and all is when the reservation ends', async (t) => {
  const scenario = await started(t, 'reserved-first');
  await scenario.pass(55 * SECOND);
  await assertSettled(scenario, 9);
  assert.deepEqual(await countBy(scenario, CAPACITY_TYPE_LABEL), { reserved: 3 });
  assert.deepEqual(await countBy(scenario, INSTANCE_TYPE_LABEL), { 'm7i.2xlarge': 3 });
  assert.equal((await scenario.figures()).pricePerHour, 0);
  await scenario.pass(2 * MINUTE);
  await assertSettled(scenario, 18);
  const { reserved, 'on-demand': others = 0 } = await countBy(scenario, CAPACITY_TYPE_LABEL);
  assert.equal(reserved, 3);
  assert.ok(others > 0);
  await scenario.pass(4 * MINUTE);
  await assertSettled(scenario, 18);
  assert.deepEqual(await countBy(scenario, CAPACITY_TYPE_LABEL), { 'on-demand': others + 3 });
});

test('broken-nodeclass: its conditions say what is missing, and pods that wait get nodes when it is mended', async (t) => {
  const scenario = await started(t, 'broken-nodeclass', /not ready|NoSuchEntity|no subnets found/);
  const pods = async () => (await scenario.figures()).pods;
  await scenario.pass(55 * SECOND);
  assert.deepEqual(await pods(), { running: 0, pending: 6, terminating: 0 });
  assert.match(
    await condition(scenario, 'InstanceProfileReady'),
    /^Unknown: .*The role with name KarpenterNodeRole-my-cluster cannot be found\./,
  );
  await scenario.pass(2 * MINUTE); // the role is there
  await assertSettled(scenario, 6);
  assert.match(await condition(scenario, 'Ready'), /^True/);
  await scenario.pass(60 * SECOND); // no subnet, and six pods more
  assert.deepEqual(await pods(), { running: 6, pending: 6, terminating: 0 });
  assert.equal(await condition(scenario, 'SubnetsReady'), 'False: SubnetSelector did not match any Subnets');
  assert.match(await condition(scenario, 'Ready'), /^False: .*SubnetsReady=False/);
  await scenario.pass(60 * SECOND);
  await assertSettled(scenario, 12);
  assert.match(await condition(scenario, 'Ready'), /^True/);
});
