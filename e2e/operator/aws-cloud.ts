import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { clientNodes, type Emulator, type InstanceBoots, startEmulator } from '@karpenter-ts/aws-emulator';
import { type Client, realClock, SECOND } from '@karpenter-ts/runtime';
import type { Lab } from '../lab/lab.ts';

export const CLUSTER_NAME = 'lab';
export const NODE_ROLE = 'KarpenterNodeRole-lab';
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
  ec2.addClusterNetwork({ cluster: CLUSTER_NAME });
  emulator.publishNodeImages({ kubernetes: KUBERNETES });
  await createRole(endpoint);
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
  return { emulator, boots, env, requests, stop: () => emulator.stop() };
}

async function createRole(endpoint: string): Promise<void> {
  const iam = new IAMClient({ region: REGION, endpoint, credentials: CREDENTIALS });
  const statement = { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await iam.send(new CreateRoleCommand({ RoleName: NODE_ROLE, AssumeRolePolicyDocument }));
  iam.destroy();
}
