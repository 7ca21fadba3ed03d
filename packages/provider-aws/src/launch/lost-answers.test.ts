import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreateError } from '@karpenter-ts/cloudprovider';
import { findCause, SECOND } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { claim, launchEnvironment, oneOf } from '../testing/launch-environment.ts';

const REQUIREMENTS = [oneOf('karpenter.sh/capacity-type', 'on-demand')];

test('a request for a fleet that is not answered is sent again with its token: one instance is bought', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  environment.fleets.fleetFailures.push(new Error('socket hang up'), new Error('socket hang up'));
  await environment.create(claim({ requirements: REQUIREMENTS }));
  assert.equal(environment.fleets.fleets.length, 3);
  assert.equal(new Set(environment.fleets.fleets.map(({ ClientToken }) => ClientToken)).size, 1);
});

test('a request that is never answered fails the launch, which is then repeated with a token of its own', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  for (let index = 0; index < 3; index++) environment.fleets.fleetFailures.push(new Error('socket hang up'));
  await assert.rejects(environment.create(claim()), (error: unknown) => {
    const created = findCause(error, CreateError);
    return created?.conditionMessage === 'Error creating fleet request: Instance launch failed';
  });
  await environment.create(claim());
  const tokens = environment.fleets.fleets.map(({ ClientToken }) => ClientToken);
  assert.equal(new Set(tokens.slice(0, 3)).size, 1);
  assert.notEqual(tokens[3], tokens[0]);
});

test('a NodeClaim that is given up leaves the request to those that share it, and its addresses are given back', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  environment.addresses.listed('subnet-a', 100);
  const givenUp = new AbortController();
  const first = environment.launcher.create(claim({ name: 'default-1', requirements: REQUIREMENTS }), givenUp.signal);
  const second = environment.launcher.create(claim({ name: 'default-2', requirements: REQUIREMENTS }), NEVER);
  await environment.clock.advance(10);
  givenUp.abort(new Error('stopping'));
  await assert.rejects(first, new Error('stopping'));
  const { status } = await environment.clock.runUntil(second);
  assert.equal(status?.providerID, 'aws:///us-west-2a/i-1-0');
  assert.equal(environment.fleets.fleets[0]!.TargetCapacitySpecification?.TotalTargetCapacity, 1);
  assert.equal(environment.addresses.free('subnet-a'), 100 - 29);
});

test('an instance more than was asked for is left to garbage collection, and nobody gets it', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  const { answer } = environment.fleets;
  environment.fleets.answer = async (input, signal) => {
    const output = await answer(input, signal);
    const [instance] = output.Instances!;
    return { ...output, Instances: [{ ...instance, InstanceIds: ['i-1', 'i-2'] }] };
  };
  const { status } = await environment.create(claim({ requirements: REQUIREMENTS }));
  assert.equal(status?.providerID, 'aws:///us-west-2a/i-1');
  assert.ok(environment.logger.lines.some(({ error }) => error?.includes('ignoring instance (instance-id=i-2)')));
});

test('EC2 is asked where an instance is if its answer leaves that out', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  environment.fleets.answer = async () => ({
    $metadata: {},
    FleetId: 'fleet-1',
    Instances: [{ InstanceIds: ['i-1'] }],
  });
  environment.describe({
    InstanceId: 'i-1',
    InstanceType: 'm5.large',
    SubnetId: 'subnet-b',
    ImageId: 'ami-1',
    Placement: { AvailabilityZone: 'us-west-2b' },
  });
  const { metadata, status } = await environment.create(claim({ requirements: REQUIREMENTS }));
  assert.equal(status?.providerID, 'aws:///us-west-2b/i-1');
  assert.equal(metadata.labels!['node.kubernetes.io/instance-type'], 'm5.large');
  assert.equal(metadata.labels!['topology.k8s.aws/zone-id'], 'usw2-az2');
});

test('an instance of which EC2 tells nothing at all is an error that names it', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  environment.fleets.answer = async () => ({ $metadata: {}, Instances: [{ InstanceIds: ['i-1'] }] });
  environment.describe({ InstanceId: 'i-1' });
  await assert.rejects(
    environment.create(claim()),
    /^Error: creating instance, EC2 does not tell where the instance is \(instance-id=i-1\)$/,
  );
});

test('an empty answer is a launch that failed, and no crash', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  for (const output of [{ $metadata: {} }, { $metadata: {}, Instances: [{}], Errors: [{}] }]) {
    environment.fleets.answer = async () => output;
    await assert.rejects(environment.create(claim()), (error: unknown) => findCause(error, CreateError) !== undefined);
  }
});

test('a launch ends when the process stops while EC2 is silent', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  environment.fleets.answer = (_input, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const stopping = new AbortController();
  const launch = environment.launcher.create(claim(), stopping.signal);
  launch.catch(() => undefined);
  await environment.clock.advance(5 * SECOND);
  stopping.abort(new Error('stopping'));
  await assert.rejects(launch, new Error('stopping'));
});
