// What goes wrong between the controller and AWS, and answers that surprise: the cluster gets its node all the same,
// nothing is launched twice for good, and nothing is left running that nobody knows of.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { expiredCredentials, type Fault, internalError, requestLimitExceeded } from '@karpenter-ts/aws-emulator';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { AwsOptions } from './options/options.ts';
import { AwsCluster } from './testing/aws-cluster.ts';

const ON_DEMAND = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] };

/** A cluster with a NodePool. */
async function start(t: TestContext, options: Partial<AwsOptions> = {}): Promise<AwsCluster> {
  const env = await AwsCluster.start(t, options);
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND] });
  return env;
}

/** The same with a pod that runs. */
async function startWithNode(t: TestContext): Promise<AwsCluster> {
  const env = await start(t);
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  return env;
}

/** Waits until each instance that costs something belongs to a NodeClaim, and each NodeClaim has its instance. */
async function untilNothingIsLeft(env: AwsCluster): Promise<void> {
  await env.until('each instance is a NodeClaim’s', async () => {
    const claimed = (await env.nodeClaims()).map(({ status }) => status?.providerID?.split('/').at(-1));
    const living = env.livingInstances().map(({ id }) => id);
    return claimed.length === living.length && living.every((id) => claimed.includes(id));
  });
}

/** Lines that tell of a mistake of ours: the code fell over what AWS said. */
function mistakes(env: AwsCluster): readonly string[] {
  return env.logger.lines
    .map(({ message, error = '' }) => `${message} ${error}`)
    .filter((text) => /panic|TypeError|is not (a function|iterable)|Cannot read/.test(text));
}

function nameOf(fault: Fault): string {
  const { kind, when, length, code } = fault as { kind: string; when?: string; length?: string; code?: string };
  return [kind, when, length, code].filter((part) => part !== undefined).join(' ');
}

const LOST_ANSWERS: readonly Fault[] = [
  { kind: 'reset', when: 'after' },
  { kind: 'half-answer' },
  { kind: 'half-answer', length: 'hidden' },
  { kind: 'refuse-after', code: 'InternalError', message: 'An internal error has occurred', status: 500 },
];

for (const fault of LOST_ANSWERS) {
  test(`a launch whose answer is lost again and again is made once (${nameOf(fault)})`, async (t) => {
    const env = await start(t);
    env.emulator.faults.inject(fault, { operation: 'CreateFleet', times: 5 });
    await env.addPod('app', 'default');
    await env.untilRunning('app');
    assert.equal(env.requests.get('ec2 CreateFleet'), 6);
    assert.equal(env.emulator.ec2.instances().length, 1);
    assert.deepEqual(mistakes(env), []);
  });
}

test('a launch whose answer is lost for good is made anew, and what it left is collected', async (t) => {
  const env = await start(t);
  env.emulator.faults.inject({ kind: 'reset', when: 'after' }, { operation: 'CreateFleet', times: 9 });
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  await untilNothingIsLeft(env);
  assert.equal(env.livingInstances().length, 1);
  assert.equal(env.emulator.ec2.instances().length, 2, 'the launch and the one that was lost');
  assert.deepEqual(mistakes(env), []);
});

const REFUSALS: readonly Fault[] = [
  { kind: 'reset', when: 'before' },
  internalError,
  requestLimitExceeded,
  expiredCredentials('ec2'),
];

for (const fault of REFUSALS) {
  test(`when EC2 cannot be called for a while, the launch is made afterwards, once (${nameOf(fault)})`, async (t) => {
    const env = await start(t);
    const lift = env.emulator.faults.inject(fault, { service: 'ec2' });
    await env.addPod('app', 'default');
    await env.clock.advance(2 * MINUTE);
    assert.equal((await env.nodeClaims()).length, 1, 'the NodeClaim waits');
    assert.deepEqual(env.emulator.ec2.instances(), []);
    lift();
    await env.untilRunning('app');
    assert.equal(env.emulator.ec2.instances().length, 1);
    assert.deepEqual(mistakes(env), []);
  });

  test(`when EC2 cannot be called for a while, a node stays, and is terminated afterwards (${nameOf(fault)})`, async (t) => {
    const env = await startWithNode(t);
    const lift = env.emulator.faults.inject(fault, { service: 'ec2' });
    await env.clock.advance(5 * MINUTE);
    assert.equal((await env.nodes()).length, 1);
    const [nodeClaim] = await env.nodeClaims();
    await env.client.delete(NODE_CLAIMS, nodeClaim!.metadata);
    await env.clock.advance(MINUTE);
    assert.equal((await env.nodeClaims()).length, 1, 'it is not gone before its instance is');
    lift();
    await env.until('the NodeClaim is gone', async () => (await env.nodeClaims()).length === 0);
    assert.deepEqual(env.livingInstances(), []);
    assert.deepEqual(mistakes(env), []);
  });
}

test('a refusal is told with its code, the call, its status and the request’s id', async (t) => {
  const env = await start(t);
  env.emulator.faults.inject(requestLimitExceeded, { operation: 'CreateFleet' });
  await env.addPod('app', 'default');
  await env.clock.advance(MINUTE);
  const line = env.logger.lines.find(({ fields }) => fields?.['aws-operation-name'] === 'CreateFleet');
  assert.ok(line, 'there is a line');
  assert.equal(line.fields?.['aws-error-code'], 'RequestLimitExceeded');
  assert.equal(line.fields?.['aws-service-name'], 'EC2');
  assert.equal(line.fields?.['aws-status-code'], 503);
  assert.match(String(line.fields?.['aws-request-id']), /^[0-9a-f-]{36}$/);
});

test('a late answer to a launch is waited for', async (t) => {
  const env = await start(t);
  env.emulator.faults.inject({ kind: 'slow', delay: 45 * SECOND }, { operation: 'CreateFleet' });
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  assert.equal(env.emulator.ec2.instances().length, 1);
});

test('a controller whose clock is an hour off gets its node', async (t) => {
  const env = await start(t);
  env.emulator.faults.inject({ kind: 'clock-skew', ahead: 60 * MINUTE });
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  assert.equal(env.emulator.ec2.instances().length, 1);
});

for (const [what, answer] of [
  ['nothing at all', {}],
  ['an instance without an id', { FleetId: 'fleet-1', Instances: [{ Lifecycle: 'on-demand' }] }],
  ['empty lists', { FleetId: 'fleet-1', Instances: [], Errors: [] }],
  ['an error without a code', { Errors: [{}] }],
  [
    'an error that nobody knows',
    { Errors: [{ ErrorCode: 'SolarFlare', ErrorMessage: 'The sun.', Lifecycle: 'lunar' }] },
  ],
] as const) {
  test(`a launch that is answered with ${what} is made anew, and what it left is collected`, async (t) => {
    const env = await start(t);
    env.emulator.faults.inject({ kind: 'alter', alter: () => answer }, { operation: 'CreateFleet', times: 1 });
    await env.addPod('app', 'default');
    await env.untilRunning('app', 900);
    await untilNothingIsLeft(env);
    assert.equal(env.livingInstances().length, 1);
    assert.equal(env.emulator.ec2.instances().length, 2, 'the launch and the one that was lost');
    assert.deepEqual(mistakes(env), []);
  });
}

const STRANGE_INSTANCES = [
  {},
  { InstanceId: 'i-1' },
  { InstanceId: 'i-2', State: { Name: 'on-holiday' }, InstanceType: 'z99.huge', InstanceLifecycle: 'lunar' },
  { InstanceId: 'i-3', Tags: [{}], Placement: {}, NetworkInterfaces: [{}], SecurityGroups: [{}] },
];

test('a listing with instances that make no sense harms nobody', async (t) => {
  const env = await startWithNode(t);
  const alter = (output: object): object => {
    const { Reservations = [] } = output as { readonly Reservations?: readonly object[] };
    return { Reservations: [...Reservations, {}, { Instances: STRANGE_INSTANCES }] };
  };
  env.emulator.faults.inject({ kind: 'alter', alter }, { operation: 'DescribeInstances' });
  await env.clock.advance(10 * MINUTE);
  assert.equal((await env.nodes()).length, 1);
  assert.equal((await env.runningPods()).length, 1);
  assert.equal(env.livingInstances().length, 1);
  assert.deepEqual(mistakes(env), []);
});

test('a listing that lacks everything takes no ready node away', async (t) => {
  const env = await startWithNode(t);
  env.emulator.faults.inject({ kind: 'answer', answer: () => ({}) }, { operation: 'DescribeInstances' });
  await env.clock.advance(10 * MINUTE);
  assert.equal((await env.nodes()).length, 1);
  assert.equal(env.livingInstances().length, 1);
  assert.deepEqual(mistakes(env), []);
});

test('instance types with values that nobody knows and without what everybody expects are lived with', async (t) => {
  const alter = (output: object): object => {
    const { InstanceTypes = [], ...rest } = output as { readonly InstanceTypes?: readonly object[] };
    const [first = {}] = InstanceTypes;
    const strange = [
      {},
      { InstanceType: 'z99.bare' },
      { InstanceType: 'z99.huge', VCpuInfo: {}, MemoryInfo: {}, NetworkInfo: {}, ProcessorInfo: {} },
      { ...first, InstanceType: 'z99.large', Hypervisor: 'levitation', SupportedUsageClasses: ['lunar'] },
      { ...first, InstanceType: 'z99.gpu', GpuInfo: { Gpus: [{}] }, InferenceAcceleratorInfo: { Accelerators: [{}] } },
      { ...first, InstanceType: 'z99.store', InstanceStorageInfo: { Disks: [{}] }, EbsInfo: {}, NeuronInfo: {} },
    ];
    return { ...rest, InstanceTypes: [...InstanceTypes, ...strange] };
  };
  const offer = (output: object): object => {
    const { InstanceTypeOfferings = [], ...rest } = output as { readonly InstanceTypeOfferings?: readonly object[] };
    const strange = ['bare', 'huge', 'large', 'gpu', 'store'].map((size) => ({
      InstanceType: `z99.${size}`,
      Location: 'us-east-1a',
    }));
    return { ...rest, InstanceTypeOfferings: [...InstanceTypeOfferings, {}, ...strange] };
  };
  const env = await start(t);
  await env.stopOperator();
  env.emulator.faults.inject({ kind: 'alter', alter }, { operation: 'DescribeInstanceTypes' });
  env.emulator.faults.inject({ kind: 'alter', alter: offer }, { operation: 'DescribeInstanceTypeOfferings' });
  await env.startOperator();
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  assert.deepEqual(mistakes(env), []);
});

test('prices that make no sense are passed over', async (t) => {
  const env = await start(t, { isolatedVpc: false });
  const PriceList = ['{', 'null', '[]', '"text"', '{"product":{"attributes":{"instanceType":7}},"terms":null}'];
  const spot = [{}, { InstanceType: 'm5.large', SpotPrice: 'free' }, { SpotPrice: '-1', Timestamp: new Date(0) }];
  await env.stopOperator();
  env.emulator.faults.inject({ kind: 'alter', alter: () => ({ PriceList }) }, { service: 'pricing' });
  env.emulator.faults.inject(
    { kind: 'alter', alter: () => ({ SpotPriceHistory: spot }) },
    { operation: 'DescribeSpotPriceHistory' },
  );
  await env.startOperator();
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  assert.deepEqual(mistakes(env), []);
  const said = env.logger.lines.map(({ message }) => message);
  assert.ok(said.includes('failed unmarshaling pricing data'));
});

test('statuses of instances that make no sense harm nobody', async (t) => {
  const env = await startWithNode(t);
  const InstanceStatuses = [
    {},
    { InstanceId: 'i-1', InstanceStatus: { Status: 'melancholic', Details: [{}] }, SystemStatus: {} },
    { InstanceId: env.livingInstances()[0]!.id, Events: [{}, { Code: 'instance-promotion' }], InstanceStatus: {} },
  ];
  env.emulator.faults.inject(
    { kind: 'alter', alter: () => ({ InstanceStatuses }) },
    { operation: 'DescribeInstanceStatus' },
  );
  const before = env.requests.get('ec2 DescribeInstanceStatus') ?? 0;
  await env.clock.advance(5 * MINUTE);
  assert.ok(env.requests.get('ec2 DescribeInstanceStatus')! > before);
  assert.deepEqual(mistakes(env), []);
});
