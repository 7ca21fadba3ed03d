import type {
  CreateTagsCommandInput,
  DescribeInstancesCommandInput,
  Filter,
  Instance as Ec2Instance,
} from '@aws-sdk/client-ec2';
import { Metrics, VirtualClock } from '@karpenter-ts/runtime';
import { AwsError } from '../../api/aws-error.ts';
import { Instances } from '../instances.ts';

export const CLUSTER = 'test-cluster';

/** An instance of the cluster, as EC2 describes it. */
export function described(
  id: string,
  parts: Ec2Instance = {},
  tags: Readonly<Record<string, string>> = {},
): Ec2Instance {
  const all = {
    'karpenter.sh/nodepool': 'default',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    'eks:eks-cluster-name': CLUSTER,
    ...tags,
  };
  return {
    InstanceId: id,
    InstanceType: 'm5.large',
    ImageId: 'ami-1',
    SubnetId: 'subnet-1',
    SecurityGroups: [{ GroupId: 'sg-1' }],
    LaunchTime: new Date('2026-01-01T00:00:00Z'),
    State: { Name: 'running' },
    Tags: Object.entries(all).map(([Key, Value]) => ({ Key, Value })),
    ...parts,
    Placement: { AvailabilityZone: 'us-west-2a', AvailabilityZoneId: 'usw2-az1', ...parts.Placement },
  };
}

/**
 * An EC2 that holds these instances, and what reads and writes them. `calls` are the calls, in order; one whose name
 * `fail` has an error for is refused.
 */
export function fakeInstances(held: readonly Ec2Instance[] = [], settings = { reservedCapacity: true }) {
  const clock = new VirtualClock();
  const metrics = new Metrics(clock);
  const fake = {
    held,
    shiftedZones: new Set<string>(),
    /** Ids that a description leaves out, without an error. */
    missing: new Set<string>(),
    fail: new Map<string, Error>(),
    calls: [] as string[],
    tags: [] as CreateTagsCommandInput[],
    listings: [] as DescribeInstancesCommandInput[],
  };
  const answer = async <T>(call: string, id: string, give: () => T): Promise<T> => {
    fake.calls.push(`${call} ${id}`.trim());
    const error = fake.fail.get(call);
    if (error !== undefined) throw error;
    return give();
  };
  const find = (id: string): Ec2Instance => {
    const instance = fake.held.find(({ InstanceId }) => InstanceId === id);
    if (instance === undefined)
      throw new AwsError('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);
    return instance;
  };
  const instances = new Instances({
    ec2: {
      describeInstances: (input) =>
        answer('list', '', () => {
          fake.listings.push(input);
          const found = fake.held.filter((one) => (input.Filters ?? []).every((filter) => matches(one, filter)));
          return { $metadata: {}, Reservations: found.length === 0 ? [] : [{ Instances: found }] };
        }),
      createTags: (input) =>
        answer('tag', input.Resources?.join() ?? '', () => {
          fake.tags.push(input);
          return { $metadata: {} };
        }),
    },
    batched: {
      describeInstance: (id) => answer('describe', id, () => (fake.missing.has(id) ? undefined : find(id))),
      terminateInstance: (id) => answer('terminate', id, () => undefined),
    },
    zonalShifts: { isShifted: (zoneId) => fake.shiftedZones.has(zoneId) },
    metrics,
    clusterName: CLUSTER,
    settings,
  });
  return { fake, instances, clock, metrics };
}

function matches({ Tags = [], State }: Ec2Instance, { Name = '', Values = [] }: Filter): boolean {
  if (Name === 'tag-key') return Tags.some(({ Key }) => Values.includes(Key ?? ''));
  if (Name === 'instance-state-name') return Values.includes(State?.Name ?? '');
  return Tags.some(({ Key, Value }) => Name === `tag:${Key}` && Values.includes(Value ?? ''));
}
