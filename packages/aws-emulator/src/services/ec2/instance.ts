import type { InstanceState, InstanceTypeInfo, RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { Place } from '../../state/place.ts';
import type { Zone } from './catalogue.ts';
import type { Tags } from './tags.ts';

export type InstanceStateName = 'pending' | 'running' | 'shutting-down' | 'terminated';

/** How an instance is bought. */
export type Lifecycle = 'on-demand' | 'spot' | 'capacity-block' | 'interruptible-capacity-reservation';

export interface NetworkInterface {
  readonly id: string;
  readonly cardIndex: number;
  readonly deviceIndex: number;
  readonly type: 'interface' | 'efa' | 'efa-only';
  readonly securityGroupIds: readonly string[];
  /** None for an interface that is for EFA only. */
  readonly addresses: readonly string[];
  readonly prefixes: number;
  readonly ipv6Addresses: readonly string[];
}

/** One of the checks that EC2 makes of a running instance and of what it runs on. */
export type StatusCheck = 'instance' | 'system';

/** Something that EC2 will do to an instance. */
export interface ScheduledEvent {
  readonly id: string;
  readonly code: 'instance-reboot' | 'system-reboot' | 'system-maintenance' | 'instance-retirement' | 'instance-stop';
  /** Begins with `[Completed]` or `[Canceled]` once that is so. */
  readonly description: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** An instance as it is now. */
export interface Ec2Instance {
  readonly place: Place;
  readonly id: string;
  /** Greater than that of every earlier instance. */
  readonly serial: number;
  readonly reservationId: string;
  readonly fleetId: string | undefined;
  readonly launchedAt: number;
  /** Not told of before. */
  readonly visibleAt: number;
  readonly instanceType: string;
  /** As DescribeInstanceTypes describes it. */
  readonly type: InstanceTypeInfo;
  readonly imageId: string;
  readonly imageName: string;
  readonly rootDeviceName: string;
  /** The root volume, and what else the launch asked for. */
  readonly volumes: readonly { readonly deviceName: string; readonly sizeGiB: number }[];
  readonly architecture: 'x86_64' | 'arm64';
  readonly platform: 'linux' | 'windows';
  readonly zone: Zone;
  readonly vpcId: string;
  readonly subnetId: string;
  readonly lifecycle: Lifecycle;
  readonly spotRequestId: string | undefined;
  readonly privateDnsName: string;
  readonly networkInterfaces: readonly NetworkInterface[];
  readonly reservedIn: string | undefined;
  readonly placementGroupId: string | undefined;
  readonly partition: number | undefined;
  /** In base64, as it was given. */
  readonly userData: string | undefined;
  /** The launch template and what overrode it. */
  readonly spec: RequestLaunchTemplateData;
  readonly clientToken: string | undefined;
  readonly tags: Tags;
  readonly state: InstanceStateName;
  /** Why it was terminated. */
  readonly stateReason: { readonly code: string; readonly message: string } | undefined;
  /** Since when each check fails. */
  readonly impairedSince: ReadonlyMap<StatusCheck, number>;
  readonly events: readonly ScheduledEvent[];
}

/** What the service itself changes of an instance. */
export interface MutableInstance extends Ec2Instance {
  state: InstanceStateName;
  stateReason: Ec2Instance['stateReason'];
  reservedIn: string | undefined;
  readonly impairedSince: Map<StatusCheck, number>;
  readonly events: ScheduledEvent[];
}

const STATE_CODES: Readonly<Record<InstanceStateName, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
};

export function stateOf(Name: InstanceStateName): InstanceState {
  return { Code: STATE_CODES[Name], Name };
}

export function isAlive({ state }: Ec2Instance): boolean {
  return state === 'pending' || state === 'running';
}
