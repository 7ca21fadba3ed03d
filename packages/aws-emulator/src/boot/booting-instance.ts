import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

/** What the boot of an instance depends on. */
export interface BootingInstance {
  readonly id: string;
  /** As DescribeInstanceTypes describes its type. */
  readonly type: InstanceTypeInfo;
  /** Of the image: the family follows from it. */
  readonly imageName: string;
  /** `x86_64` or `arm64`. */
  readonly architecture: string;
  readonly privateIp: string;
  /** `ip-10-0-0-1.ec2.internal`: the name of the Node. */
  readonly privateDnsName: string;
  readonly region: string;
  readonly zone: string;
  readonly zoneId: string;
  /** Base64; undefined when there is none. */
  readonly userData: string | undefined;
  readonly volumes: readonly Volume[];
  readonly rootDeviceName: string;
  /** Its network interfaces that are elastic fabric adapters. */
  readonly efaInterfaces: number;
}

interface Volume {
  readonly deviceName: string;
  readonly sizeGiB: number;
}
