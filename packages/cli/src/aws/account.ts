import { randomInt } from 'node:crypto';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { clientNodes, type Emulator, type EventRule, startEmulator } from '@karpenter-ts/aws-emulator';
import type { Cluster, ClusterAccess } from '@karpenter-ts/embedded';
import { SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import { CLUSTER_NAME, NODE_ROLE, QUEUE_NAME } from './names.ts';

const REGION = 'us-east-1';
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/** What the embedded API server says it is. */
const KUBERNETES = '1.35';
const NEXT_KUBERNETES = '1.36';
/** Releases of images that are there from the start, in the order of their days: the last is what `@latest` names. */
const RELEASES = ['v20260501', 'v20260601'] as const;

/** Any keys will do: who signs is not looked at. */
const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAEMULATED', AWS_SECRET_ACCESS_KEY: 'emulated' };

/** What the guides of Karpenter set up in EventBridge for the interruption queue. */
const RULES: readonly EventRule[] = [
  { source: 'aws.health', detailType: 'AWS Health Event' },
  { source: 'aws.ec2', detailType: 'EC2 Spot Instance Interruption Warning' },
  { source: 'aws.ec2', detailType: 'EC2 Instance Rebalance Recommendation' },
  { source: 'aws.ec2', detailType: 'EC2 Instance State-change Notification' },
  { source: 'aws.ec2', detailType: 'EC2 Capacity Reservation Instance Interruption Warning' },
];

/** A tenth of what EC2 and IAM take: somebody is watching. The two minutes' notice of spot instances are left as they are. */
const TIMING = {
  visible: [0.1 * SECOND, 0.3 * SECOND],
  start: [0.5 * SECOND, 1 * SECOND],
  shutdown: [2 * SECOND, 5 * SECOND],
} as const;
const IAM_DELAYS = { reads: 0, ec2: 0 };
const BOOT_DELAY = 1 * SECOND;

export interface AccountSettings {
  readonly clock: SteadyClock;
  /** Random unless given. */
  readonly seed?: number;
  /** Serves the account over HTTP on 127.0.0.1; port 0 is any free one. */
  readonly listen?: { readonly port: number };
  /** All of EC2's unless given. */
  readonly instanceTypes?: readonly string[];
}

/** An account of AWS in this process, as somebody leaves it who has followed the guides and is about to install Karpenter. */
export interface AwsAccount {
  readonly emulator: Emulator;
  /** By which AWS' SDKs and its command line find the account; without an address if it is not served. */
  readonly env: Readonly<Record<string, string>>;
  /** Those that the cluster has subnets in. */
  readonly zones: readonly string[];
  /** Makes the cluster one of EKS, and has instances join it. Once only. */
  adopt(cluster: Cluster): void;
  /** Releases images for nodes of a version of Kubernetes; of the control plane's unless told. Returns which it was. */
  publishImages(version: string, kubernetes?: string): string;
  /** Upgrades the control plane. There are images for it, as there are in AWS. */
  upgrade(kubernetes: string): void;
  /** What a node with these labels costs an hour. */
  priceOf(labels: Readonly<Record<string, string>>): number;
  stop(): Promise<void>;
}

/** Starts it. Rejects as a server does whose port is taken. */
export async function startAwsAccount(settings: AccountSettings): Promise<AwsAccount> {
  const { clock, seed = randomInt(2 ** 31), listen, instanceTypes } = settings;
  const emulator = await startEmulator({
    clock,
    seed,
    region: REGION,
    ...(listen && { listen }),
    ...(instanceTypes && { instanceTypes }),
  });
  const { ec2, iam, sqs, eks, endpoint } = emulator;
  ec2.setTiming(TIMING);
  ec2.addClusterNetwork({ cluster: CLUSTER_NAME, zones: ZONES });
  iam.setDelays(IAM_DELAYS);
  iam.addRole(NODE_ROLE);
  sqs.addQueue(QUEUE_NAME);
  sqs.sendEventsTo(QUEUE_NAME, RULES);
  let current = KUBERNETES;
  const published = new Set<string>();
  const publishImages = (version: string, kubernetes = current): string => {
    published.add(kubernetes);
    emulator.publishNodeImages({ kubernetes, version });
    return kubernetes;
  };
  const publishReleases = (kubernetes: string): void => {
    for (const release of RELEASES) publishImages(release, kubernetes);
  };
  for (const kubernetes of [KUBERNETES, NEXT_KUBERNETES]) publishReleases(kubernetes);
  return {
    emulator,
    env: {
      ...(endpoint !== undefined && { AWS_ENDPOINT_URL: endpoint }),
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION, // older versions of the command line know only this one
      ...KEYS,
    },
    zones: ZONES,
    adopt: ({ client, access = UNSERVED }) => {
      const certificateAuthority = Buffer.from(access.certificateAuthority).toString('base64');
      const cluster = { name: CLUSTER_NAME, endpoint: access.server, certificateAuthority };
      eks.addCluster({ ...cluster, version: KUBERNETES });
      emulator.bootInto({ nodes: clientNodes(client), cluster, bootDelay: BOOT_DELAY });
    },
    publishImages,
    upgrade: (kubernetes) => {
      if (!published.has(kubernetes)) publishReleases(kubernetes);
      eks.setVersion(CLUSTER_NAME, kubernetes);
      current = kubernetes;
    },
    priceOf: (labels) => {
      const type = labels[INSTANCE_TYPE_LABEL] ?? '';
      const capacityType = labels[CAPACITY_TYPE_LABEL];
      if (capacityType === 'reserved') return 0; // paid for already
      const isSpot = capacityType === 'spot';
      return (isSpot ? ec2.spotPrice(type, labels[ZONE_LABEL] ?? '') : ec2.onDemandPrice(type)) ?? 0;
    },
    stop: () => emulator.stop(),
  };
}

/** How instances find a cluster that is used in this process only. */
export const UNSERVED: Pick<ClusterAccess, 'server' | 'certificateAuthority'> = {
  server: 'https://cluster.invalid',
  certificateAuthority: 'no certificate',
};
