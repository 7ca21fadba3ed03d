import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import type {
  CreateFleetCommandInput,
  CreateFleetCommandOutput,
  Instance,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { VirtualClock } from '@karpenter-ts/runtime';
import type { EmulatorClock } from '../../../clock.ts';
import { type Emulator, startEmulator } from '../../../emulator.ts';
import { sdkHandler } from '../../../sdk-handler.ts';
import type { AwsEvent } from '../../../state/event-bridge.ts';
import type { ClusterNetwork, Ec2Levers } from '../levers.ts';

/** What tests hand the fixture, so that it ends with them. */
interface TestContext {
  after(cleanUp: () => unknown): void;
}

/** What a queue would hear of. */
export interface Heard {
  readonly source: string;
  readonly 'detail-type': AwsEvent['detailType'];
  readonly time: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Ec2Fixture {
  readonly clock: VirtualClock;
  readonly emulator: Emulator;
  /** AWS' own client, in the process; it asks once. */
  readonly client: EC2Client;
  readonly ec2: Ec2Levers;
  readonly network: ClusterNetwork;
  readonly amd64: string;
  readonly arm64: string;
  /** Of the emulator. */
  pendingTimers(): number;
  /** All events so far. */
  readonly heard: readonly Heard[];
  /** A launch template of the name with an image and the cluster's security group. */
  template(name: string, data?: RequestLaunchTemplateData): Promise<string>;
  /** An instant fleet from the template: a type in each of the zones. */
  fleet(request: FleetRequest): Promise<CreateFleetCommandOutput>;
  /** Waits until the instances are told of and running. */
  running(fleet: CreateFleetCommandOutput): Promise<readonly string[]>;
  instance(id: string): Promise<Instance | undefined>;
}

export interface FleetRequest {
  readonly template: string;
  readonly types: readonly string[];
  /** The first unless given. */
  readonly zones?: readonly string[];
  readonly kind?: 'on-demand' | 'spot' | 'capacity-block' | 'reserved-capacity';
  readonly count?: number;
  readonly strategy?: string;
  /** By type. */
  readonly priorities?: Readonly<Record<string, number>>;
  readonly more?: Partial<CreateFleetCommandInput>;
}

export const ZONE = 'us-east-1a';

/** EC2 with the network of a cluster and two images, in virtual time. */
export async function startEc2(t: TestContext, seed = 1): Promise<Ec2Fixture> {
  const clock = new VirtualClock();
  const timers = new Set<() => void>();
  const emulator = await startEmulator({ clock: counting(clock, timers), seed });
  t.after(() => emulator.stop());
  const client = new EC2Client({
    region: 'us-east-1',
    endpoint: 'http://aws.invalid',
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
    maxAttempts: 1,
    requestHandler: sdkHandler(emulator) as never,
  });
  const { ec2 } = emulator;
  const network = ec2.addClusterNetwork({ cluster: 'test' });
  const amd64 = ec2.addImage({ name: 'al2023-x86', architecture: 'x86_64' });
  const arm64 = ec2.addImage({ name: 'al2023-arm', architecture: 'arm64' });
  const heard: Heard[] = [];
  emulator.eventBridge.addTarget(emulator.place, (body) => heard.push(JSON.parse(body) as Heard));
  const fixture: Ec2Fixture = {
    clock,
    emulator,
    client,
    ec2,
    network,
    amd64,
    arm64,
    heard,
    pendingTimers: () => timers.size,
    template: async (name, data = {}) => {
      const LaunchTemplateData = { ImageId: amd64, SecurityGroupIds: [network.securityGroupId], ...data };
      await client.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData }));
      return name;
    },
    fleet: (request) => client.send(new CreateFleetCommand(fleetInput(request, network))),
    running: async (fleet) => {
      await clock.advance(15_000);
      return (fleet.Instances ?? []).flatMap(({ InstanceIds }) => InstanceIds ?? []);
    },
    instance: async (id) => {
      const filter = { Name: 'instance-id', Values: [id] };
      const { Reservations } = await client.send(new DescribeInstancesCommand({ Filters: [filter] }));
      return Reservations?.[0]?.Instances?.[0];
    },
  };
  return fixture;
}

/** The clock, with its timers in the set until they fire or are cancelled. */
function counting(clock: VirtualClock, timers: Set<() => void>): EmulatorClock {
  return {
    now: () => clock.now(),
    sleep: (delay, signal) => clock.sleep(delay, signal),
    after: (delay, run) => {
      const cancelTimer = clock.after(delay, () => {
        timers.delete(cancel);
        run();
      });
      const cancel = (): void => {
        timers.delete(cancel);
        cancelTimer();
      };
      timers.add(cancel);
      return cancel;
    },
  };
}

function fleetInput(request: FleetRequest, { subnetIds }: ClusterNetwork): CreateFleetCommandInput {
  const { template, types, zones = [ZONE], kind = 'on-demand', count = 1, strategy, priorities, more } = request;
  const options = strategy === undefined ? {} : { AllocationStrategy: strategy as never };
  return {
    Type: 'instant',
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: kind },
    ...(kind === 'spot' ? { SpotOptions: options } : { OnDemandOptions: options }),
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: template, Version: '$Latest' },
        Overrides: types.flatMap((type) =>
          zones.map((zone) => ({
            InstanceType: type as never,
            SubnetId: subnetIds[zone],
            AvailabilityZone: zone,
            Priority: priorities?.[type],
          })),
        ),
      },
    ],
    ...more,
  };
}

/** The code of the refusal, if there is one. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as Error).name;
  }
}
