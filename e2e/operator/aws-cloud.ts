import { clientNodes, type Emulator, type InstanceBoots, startEmulator } from '@karpenter-ts/aws-emulator';
import { type ApiObject, SERVICES } from '@karpenter-ts/kubernetes';
import { type Client, isAlreadyExists, realClock, SECOND } from '@karpenter-ts/runtime';
import { CLUSTER_NAME, CREDENTIALS, REGION, setUpAccount } from '../aws-guides/account.ts';
import type { Lab } from '../lab/lab.ts';

/** A request that a controller has made of AWS. */
export interface AwsCall {
  readonly service: string;
  readonly operation: string;
  readonly input: object;
}

/** An AWS of its own for the cluster of a lab: the account that the guides are written for. */
export interface AwsCloud {
  readonly emulator: Emulator;
  readonly boots: InstanceBoots;
  /** What a controller needs to find this AWS and the cluster. */
  readonly env: Readonly<Record<string, string>>;
  /** All requests so far. */
  readonly calls: readonly AwsCall[];
  stop(): Promise<void>;
}

/** Starts it. Instances that run join the lab's cluster, where KWOK plays their kubelets. */
export async function startAwsCloud(lab: Lab, client: Client): Promise<AwsCloud> {
  const calls: AwsCall[] = [];
  const onRequest = (service: string, operation: string, input: object): void => {
    calls.push({ service, operation, input });
  };
  const emulator = await startEmulator({ clock: realClock, seed: 1, region: REGION, listen: { port: 0 }, onRequest });
  const { ec2, endpoint = '' } = emulator;
  ec2.setTiming({ start: [1 * SECOND, 2 * SECOND], shutdown: [1 * SECOND, 2 * SECOND] });
  setUpAccount(emulator, { endpoint: lab.server, certificateAuthority: lab.caData, now: realClock.now() });
  await addClusterDns(client);
  const certificateAuthority = Buffer.from(lab.caData).toString('base64');
  const boots = emulator.bootInto({
    nodes: clientNodes(client),
    cluster: { name: CLUSTER_NAME, endpoint: lab.server, certificateAuthority },
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
  return { emulator, boots, env, calls, stop: () => emulator.stop() };
}

/** Controllers look for it when they start, and tell nodes of its address. */
async function addClusterDns(client: Client): Promise<void> {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace: 'kube-system' },
    spec: { ports: [{ port: 53, protocol: 'UDP' }] },
  };
  await client.create(SERVICES, service as ApiObject).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
