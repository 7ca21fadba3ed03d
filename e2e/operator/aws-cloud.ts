import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import {
  clientNodes,
  type ClusterNetwork,
  type Emulator,
  type InstanceBoots,
  type PublishedImage,
  startEmulator,
} from '@karpenter-ts/aws-emulator';
import { type Client, realClock, SECOND } from '@karpenter-ts/runtime';
import type { Lab } from '../lab/lab.ts';

export const CLUSTER_NAME = 'lab';
export const NODE_ROLE = 'KarpenterNodeRole-lab';
const PROFILE = 'lab-profile';
const REGION = 'us-east-1';
const KUBERNETES = '1.35'; // the lab's
const CREDENTIALS = { accessKeyId: 'AKIALAB', secretAccessKey: 'lab' };

/** An AWS of its own for the cluster of a lab: network, images and the role of nodes are there. */
export interface AwsCloud {
  readonly emulator: Emulator;
  readonly boots: InstanceBoots;
  /** What a controller needs to find this AWS and the cluster. */
  readonly env: Readonly<Record<string, string>>;
  /** How often each call was made, as `ec2 CreateFleet`. */
  readonly requests: ReadonlyMap<string, number>;
  /** What the NodeClass controller would write for a class that finds all by the tag of the cluster. */
  readonly nodeClassStatus: object;
  stop(): Promise<void>;
}

/** Starts it. Instances that run join the lab's cluster, where KWOK plays their kubelets. */
export async function startAwsCloud(lab: Lab, client: Client): Promise<AwsCloud> {
  const requests = new Map<string, number>();
  const onRequest = (service: string, operation: string): void => {
    const call = `${service} ${operation}`;
    requests.set(call, (requests.get(call) ?? 0) + 1);
  };
  const emulator = await startEmulator({ clock: realClock, seed: 1, region: REGION, listen: { port: 0 }, onRequest });
  const { ec2, endpoint = '' } = emulator;
  ec2.setTiming({ start: [1 * SECOND, 2 * SECOND], shutdown: [1 * SECOND, 2 * SECOND] });
  const network = ec2.addClusterNetwork({ cluster: CLUSTER_NAME });
  const images = emulator.publishNodeImages({ kubernetes: KUBERNETES });
  await createRole(endpoint);
  emulator.iam.addInstanceProfile(PROFILE);
  const certificateAuthority = Buffer.from(lab.caData).toString('base64');
  const cluster = { name: CLUSTER_NAME, endpoint: lab.server, certificateAuthority };
  emulator.eks.addCluster({ ...cluster, version: KUBERNETES });
  const boots = emulator.bootInto({
    nodes: clientNodes(client),
    cluster,
    bootDelay: 2 * SECOND,
  });
  const env = {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL: endpoint,
    CLUSTER_NAME,
    CLUSTER_ENDPOINT: lab.server,
  };
  const nodeClassStatus = statusOf(network, images);
  return { emulator, boots, env, requests, nodeClassStatus, stop: () => emulator.stop() };
}

function statusOf({ subnetIds, securityGroupId }: ClusterNetwork, images: readonly PublishedImage[]): object {
  const image = images.find(({ name }) => name.startsWith('amazon-eks-node-al2023-x86_64-standard'))!;
  const amd64 = { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] };
  const condition = { type: 'Ready', status: 'True', reason: 'Ready', message: '', observedGeneration: 1 };
  return {
    amis: [{ id: image.id, name: image.name, requirements: [amd64] }],
    subnets: Object.entries(subnetIds).map(([zone, id]) => ({ id, zone })),
    securityGroups: [{ id: securityGroupId }],
    instanceProfile: PROFILE,
    conditions: [{ ...condition, lastTransitionTime: new Date().toISOString() }],
  };
}

async function createRole(endpoint: string): Promise<void> {
  const iam = new IAMClient({ region: REGION, endpoint, credentials: CREDENTIALS });
  const statement = { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await iam.send(new CreateRoleCommand({ RoleName: NODE_ROLE, AssumeRolePolicyDocument }));
  iam.destroy();
}
