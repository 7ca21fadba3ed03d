import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CreateFleetCommandInput, CreateFleetCommandOutput } from '@aws-sdk/client-ec2';
import { errorText, Metrics, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import type { Ec2Api } from '../api/aws-apis.ts';
import { AwsError } from '../api/aws-error.ts';
import { BatchedEc2 } from './batched-ec2.ts';
import type { FleetAnswer, FleetRequest } from './create-fleet.ts';

type Calls = Pick<Ec2Api, 'createFleet' | 'describeInstances' | 'terminateInstances'>;

function environment(calls: Partial<Calls>) {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const unexpected = async (): Promise<never> => assert.fail('not to be called');
  const ec2: Calls = {
    createFleet: unexpected,
    describeInstances: unexpected,
    terminateInstances: unexpected,
    ...calls,
  };
  return { clock, logger, batched: new BatchedEc2({ ec2, clock, logger, metrics: new Metrics(clock) }) };
}

const request = (instanceType: string, count = 1): FleetRequest => ({
  LaunchTemplateConfigs: [{ Overrides: [{ InstanceType: instanceType as 'm5.large' }] }],
  TargetCapacitySpecification: { TotalTargetCapacity: count },
});
const fleetOf = (
  ids: readonly string[],
  errors: CreateFleetCommandOutput['Errors'] = [],
): CreateFleetCommandOutput => ({
  $metadata: {},
  FleetId: 'fleet-1',
  Instances: [{ InstanceIds: [...ids], InstanceType: 'm5.large' }],
  Errors: errors,
});
const idOf = ({ Instances }: FleetAnswer) => Instances?.[0]?.InstanceIds?.[0];

test('07/86 five equal launches at once are one CreateFleet with a total of 5; one that differs makes a second call', async () => {
  const inputs: CreateFleetCommandInput[] = [];
  const { clock, batched } = environment({
    createFleet: async (input) => {
      inputs.push(input);
      const count = input.TargetCapacitySpecification?.TotalTargetCapacity ?? 0;
      return fleetOf(Array.from({ length: count }, (_, index) => `i-${inputs.length}${index}`));
    },
  });
  const same = Array.from({ length: 5 }, () => batched.createFleet(request('m5.large'), NEVER));
  const other = batched.createFleet(request('c5.large'), NEVER);
  const answers = await clock.runUntil(Promise.all([...same, other]));
  assert.deepEqual(
    inputs.map(({ TargetCapacitySpecification }) => TargetCapacitySpecification?.TotalTargetCapacity),
    [5, 1],
  );
  assert.equal(new Set(answers.map(idOf)).size, 6);
  assert.notEqual(inputs[0]!.ClientToken, inputs[1]!.ClientToken);
});

test('requests that differ in the order of their lists only are one', async () => {
  let calls = 0;
  const { clock, batched } = environment({
    createFleet: async () => {
      calls++;
      return fleetOf(['i-1', 'i-2']);
    },
  });
  const tags = [
    { Key: 'a', Value: '1' },
    { Key: 'b', Value: '2' },
  ];
  const tagged = (list: typeof tags): FleetRequest => ({
    ...request('m5.large'),
    TagSpecifications: [{ ResourceType: 'fleet', Tags: list }],
  });
  const both = [batched.createFleet(tagged(tags), NEVER), batched.createFleet(tagged(tags.toReversed()), NEVER)];
  await clock.runUntil(Promise.all(both));
  assert.equal(calls, 1);
});

test('07/87 three of five fulfilled: three callers get an instance and all five see the errors', async () => {
  const errors = [{ ErrorCode: 'InsufficientInstanceCapacity', ErrorMessage: 'none left' }];
  const { clock, batched } = environment({ createFleet: async () => fleetOf(['i-1', 'i-2', 'i-3'], errors) });
  const asked = Array.from({ length: 5 }, () => batched.createFleet(request('m5.large'), NEVER));
  const answers = await clock.runUntil(Promise.all(asked));
  assert.deepEqual(answers.map(idOf), ['i-1', 'i-2', 'i-3', undefined, undefined]);
  for (const answer of answers) {
    assert.deepEqual(answer.Errors, errors);
    assert.equal(answer.FleetId, 'fleet-1');
  }
});

test('too few instances without an error are told by one of our own, to those without an instance', async () => {
  const { clock, batched } = environment({ createFleet: async () => fleetOf(['i-1']) });
  const asked = [batched.createFleet(request('m5.large'), NEVER), batched.createFleet(request('m5.large'), NEVER)];
  const [first, second] = await clock.runUntil(Promise.all(asked));
  assert.deepEqual(first!.Errors, []);
  const text = 'too few instances returned';
  assert.deepEqual(second!.Errors, [{ ErrorCode: text, ErrorMessage: text }]);
});

test('surplus instances are logged and left to garbage collection', async () => {
  const { clock, logger, batched } = environment({ createFleet: async () => fleetOf(['i-1', 'i-2']) });
  assert.equal(idOf(await clock.runUntil(batched.createFleet(request('m5.large'), NEVER))), 'i-1');
  assert.equal(logger.lines[0]!.message, 'received error while batching');
  assert.equal(logger.lines[0]!.error, 'received more instances than requested, ignoring instance (instance-id=i-2)');
});

test('a request for more than one instance is refused', async () => {
  const { batched } = environment({});
  await assert.rejects(
    batched.createFleet(request('m5.large', 2), NEVER),
    /^StructuredError: expected to receive a single instance only \(instance-count=2\)$/,
  );
});

test('a launch whose answer is lost is sent again with the same token, so that nothing is bought twice', async () => {
  const bought = new Map<string, string>();
  let calls = 0;
  const { clock, batched } = environment({
    createFleet: async ({ ClientToken }) => {
      calls++;
      const id = bought.get(ClientToken!) ?? `i-${bought.size}`;
      bought.set(ClientToken!, id);
      if (calls < 3) throw new Error('socket hang up');
      return fleetOf([id]);
    },
  });
  const answer = await clock.runUntil(batched.createFleet(request('m5.large'), NEVER));
  assert.equal(calls, 3);
  assert.equal(bought.size, 1);
  assert.equal(idOf(answer), [...bought.values()][0]);
});

for (const [code, statusCode, calls] of [
  ['InternalError', 500, 3],
  ['ServiceUnavailable', 503, 3],
  ['RequestLimitExceeded', 503, 1],
  ['InternalError', undefined, 1],
] as const) {
  test(`a launch that EC2 answers with ${code} of status ${statusCode} is sent ${calls} times`, async () => {
    const tokens: (string | undefined)[] = [];
    const { clock, batched } = environment({
      createFleet: async ({ ClientToken }) => {
        tokens.push(ClientToken);
        throw new AwsError(code, 'x', { statusCode });
      },
    });
    await assert.rejects(clock.runUntil(batched.createFleet(request('m5.large'), NEVER)), new RegExp(code));
    assert.equal(tokens.length, calls);
    assert.equal(new Set(tokens).size, 1);
  });
}

test('07/144 an API error of a launch goes to every caller and is not sent again', async () => {
  let calls = 0;
  const { clock, batched } = environment({
    createFleet: async () => {
      calls++;
      throw new AwsError('RequestLimitExceeded', 'Request limit exceeded.');
    },
  });
  const asked = [batched.createFleet(request('m5.large'), NEVER), batched.createFleet(request('m5.large'), NEVER)];
  const outcomes = await clock.runUntil(Promise.allSettled(asked));
  assert.ok(outcomes.every(({ status }) => status === 'rejected'));
  assert.equal(calls, 1);
});

const described = (ids: readonly string[]) => ({
  $metadata: {},
  Reservations: [{ Instances: ids.map((InstanceId) => ({ InstanceId })) }],
});

test('07/88 an instance that a listing misses is described alone, and one asked for twice answers both', async () => {
  const asked: (readonly string[])[] = [];
  const { clock, batched } = environment({
    describeInstances: async ({ InstanceIds = [] }) => {
      asked.push(InstanceIds);
      return described(InstanceIds.length > 1 ? InstanceIds.filter((id) => id !== 'i-2') : InstanceIds);
    },
  });
  const ids = ['i-1', 'i-2', 'i-3', 'i-1'];
  const answers = await clock.runUntil(Promise.all(ids.map((id) => batched.describeInstance(id, NEVER))));
  assert.deepEqual(asked, [['i-1', 'i-2', 'i-3'], ['i-2']]);
  assert.deepEqual(
    answers.map((instance) => instance?.InstanceId),
    ids,
  );
});

test('all pages of a listing are read', async () => {
  const { clock, batched } = environment({
    describeInstances: async ({ NextToken }) =>
      NextToken === undefined ? { ...described(['i-1']), NextToken: 'next' } : described(['i-2']),
  });
  const both = [batched.describeInstance('i-1', NEVER), batched.describeInstance('i-2', NEVER)];
  const answers = await clock.runUntil(Promise.all(both));
  assert.deepEqual(
    answers.map((instance) => instance?.InstanceId),
    ['i-1', 'i-2'],
  );
});

test('07/144 a listing that fails is made for each instance alone, each with its own answer', async () => {
  const notFound = new AwsError('InvalidInstanceID.NotFound', 'i-2 does not exist');
  const { clock, batched } = environment({
    describeInstances: async ({ InstanceIds = [] }) => {
      if (InstanceIds.includes('i-2')) throw notFound;
      return described(InstanceIds);
    },
  });
  const both = [batched.describeInstance('i-1', NEVER), batched.describeInstance('i-2', NEVER)];
  const [first, second] = await clock.runUntil(Promise.allSettled(both));
  assert.equal(first?.status, 'fulfilled');
  assert.equal(second?.status === 'rejected' && second.reason, notFound);
});

for (const [name, failure] of [
  ['throttled', new AwsError('RequestLimitExceeded', 'Request limit exceeded.')],
  ['not answered', new Error('socket hang up')],
] as const) {
  test(`a listing that is ${name} fails for all instead of one by one`, async () => {
    let calls = 0;
    const fail = async (): Promise<never> => {
      calls++;
      throw failure;
    };
    const { clock, batched } = environment({ describeInstances: fail, terminateInstances: fail });
    const ids = Array.from({ length: 400 }, (_, index) => `i-${index}`);
    const work = ids.flatMap((id) => [batched.describeInstance(id, NEVER), batched.terminateInstance(id, NEVER)]);
    const outcomes = await clock.runUntil(Promise.allSettled(work));
    for (const outcome of outcomes) assert.equal(outcome.status === 'rejected' && outcome.reason, failure);
    assert.equal(calls, 2);
  });
}

test('07/89 what a termination leaves running is terminated one by one, each with its own error', async () => {
  const asked: (readonly string[])[] = [];
  const { clock, logger, batched } = environment({
    terminateInstances: async ({ InstanceIds = [] }) => {
      asked.push(InstanceIds);
      if (InstanceIds.length === 1) throw new AwsError('OperationNotPermitted', `${InstanceIds[0]} is protected`);
      const state = (id: string) => (id === 'i-1' ? 'shutting-down' : 'running');
      return {
        $metadata: {},
        TerminatingInstances: InstanceIds.map((id) => ({ InstanceId: id, CurrentState: { Name: state(id) } })),
      };
    },
  });
  const ids = ['i-1', 'i-2', 'i-3'];
  const outcomes = await clock.runUntil(Promise.allSettled(ids.map((id) => batched.terminateInstance(id, NEVER))));
  assert.deepEqual(asked, [['i-1', 'i-2', 'i-3'], ['i-2'], ['i-3']]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? errorText(outcome.reason) : 'terminated')),
    [
      'terminated',
      'api error OperationNotPermitted: i-2 is protected',
      'api error OperationNotPermitted: i-3 is protected',
    ],
  );
  assert.deepEqual(logger.lines, []);
});

test('07/144 a termination that fails as a whole is logged, and made for each instance alone', async () => {
  const { clock, logger, batched } = environment({
    terminateInstances: async ({ InstanceIds = [] }) => {
      if (InstanceIds.length > 1) throw new AwsError('UnauthorizedOperation', 'no');
      return { $metadata: {} };
    },
  });
  await clock.runUntil(Promise.all(['i-1', 'i-2'].map((id) => batched.terminateInstance(id, NEVER))));
  assert.equal(logger.lines[0]!.message, 'failed terminating instances');
});

test('a termination that nobody waits for any more, as when the process stops, is no failure in the log', async () => {
  const stop = new AbortController();
  const { clock, logger, batched } = environment({
    terminateInstances: (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  });
  const work = Promise.allSettled(['i-1', 'i-2'].map((id) => batched.terminateInstance(id, stop.signal)));
  clock.after(5_000, () => stop.abort(new Error('received SIGTERM')));
  const outcomes = await clock.runUntil(work);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === 'rejected' && errorText(outcome.reason)),
    ['received SIGTERM', 'received SIGTERM'],
  );
  assert.deepEqual(logger.lines, []);
});
