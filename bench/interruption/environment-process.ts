// A cluster and AWS in a process of their own, so that their work is not measured with that of the controller:
// environment-process.ts FOLDER. The first message tells how a controller finds both. After that each message asks for
// something and is answered.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { customResourceDefinition, NODE_CLAIMS, type NodeClaim, RESOURCES } from '@karpenter-ts/apis';
import { clientNodes, type Emulator, startEmulator } from '@karpenter-ts/aws-emulator';
import { type Cluster, startCluster } from '@karpenter-ts/embedded';
import { isTrue, READY } from '@karpenter-ts/kubernetes';
import { realClock } from '@karpenter-ts/runtime';
import { NAME, podManifests, poolManifests, PROFILE, QUEUE } from './manifests.ts';

/** What can be asked of it. */
export type EnvironmentRequest =
  /** Pods that need a node each; answered when all NodeClaims are ready. */
  | { readonly kind: 'pods'; readonly name: string; readonly count: number }
  /** Messages that concern nobody; answered when the queue is empty. */
  | { readonly kind: 'noise'; readonly messages: number }
  /** EC2 takes all instances back, while further pods come; answered when all their NodeClaims are being deleted. */
  | { readonly kind: 'storm'; readonly pods: number };

/** Seconds since the request. */
export interface EnvironmentAnswer {
  readonly seconds: number;
  readonly nodeClaims: number;
  /** Until a NodeClaim was created, if there was a storm. */
  readonly provisionedSeconds: number;
  /** That were left in the queue. */
  readonly messages: number;
}

/** Where a controller finds it. */
export interface EnvironmentPlace {
  readonly kubeconfigPath: string;
  readonly env: Readonly<Record<string, string>>;
}

const REGION = 'us-east-1';
const CREDENTIALS = { accessKeyId: 'AKIABENCH', secretAccessKey: 'bench' };
const CERTIFICATE = Buffer.from('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n').toString('base64');
const MOST_SECONDS = 900;
const POLL_MS = 20;

const NO_OP = JSON.stringify({
  version: '0',
  id: '7b1d',
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  account: '111122223333',
  time: '2026-01-01T00:00:00Z',
  region: REGION,
  resources: ['arn:aws:ec2:us-east-1:111122223333:instance/i-0123456789abcdef0'],
  detail: { 'instance-id': 'i-0123456789abcdef0', state: 'running' },
});

/** What became of NodeClaims, as a watch tells it. */
class NodeClaimCount {
  readonly #known = new Map<string, 'new' | 'ready' | 'deleting'>(); // by uid

  async follow(cluster: Cluster): Promise<never> {
    for (;;) {
      const { resourceVersion } = await cluster.client.listAll<NodeClaim>(NODE_CLAIMS);
      for await (const batch of cluster.client.watchInBatches<NodeClaim>(NODE_CLAIMS, { resourceVersion })) {
        for (const { type, object } of batch) if (type !== 'BOOKMARK') this.#note(type, object);
      }
    }
  }

  #note(type: string, nodeClaim: NodeClaim): void {
    const { uid = '', deletionTimestamp } = nodeClaim.metadata;
    if (type === 'DELETED') this.#known.delete(uid);
    else
      this.#known.set(uid, deletionTimestamp !== undefined ? 'deleting' : isTrue(nodeClaim, READY) ? 'ready' : 'new');
  }

  uids(): readonly string[] {
    return [...this.#known.keys()];
  }

  readyCount(): number {
    return [...this.#known.values()].filter((state) => state === 'ready').length;
  }

  isEnding(uid: string): boolean {
    const state = this.#known.get(uid);
    return state === undefined || state === 'deleting';
  }
}

const [folder = ''] = process.argv.slice(2);
const kubeconfigPath = join(folder, 'kubeconfig');
const crds = RESOURCES.aws.map(customResourceDefinition);
const cluster = await startCluster({ clock: realClock, seed: 1, crds, listen: { port: 0, kubeconfigPath } });
const instanceTypes = ['m5.large'];
const emulator = await startEmulator({ clock: realClock, seed: 1, region: REGION, listen: { port: 0 }, instanceTypes });
const nodeClaims = new NodeClaimCount();
void nodeClaims.follow(cluster);
process.on('message', (request: EnvironmentRequest) => void answer(request));
process.send!(await prepare(cluster, emulator));

async function prepare(
  { client, access }: Cluster,
  { ec2, eks, endpoint = '', ...aws }: Emulator,
): Promise<EnvironmentPlace> {
  const { server } = access!;
  const { major, minor } = await client.read<{ readonly major: string; readonly minor: string }>('/version');
  const version = `${major}.${minor}`;
  ec2.setTiming({ start: [1000, 2000], shutdown: [1000, 2000] });
  ec2.addClusterNetwork({ cluster: NAME });
  aws.publishNodeImages({ kubernetes: version });
  aws.iam.addInstanceProfile(PROFILE);
  await createQueue(endpoint);
  aws.sqs.sendEventsTo(QUEUE);
  const known = { name: NAME, endpoint: server, certificateAuthority: CERTIFICATE };
  eks.addCluster({ ...known, version });
  emulator.bootInto({ nodes: clientNodes(client), cluster: known, bootDelay: 1000 });
  for (const [type, object] of poolManifests()) await client.create(type, object);
  return {
    kubeconfigPath,
    env: {
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL: endpoint,
      CLUSTER_NAME: NAME,
      CLUSTER_ENDPOINT: server,
      CLUSTER_CA_BUNDLE: CERTIFICATE,
      INTERRUPTION_QUEUE: QUEUE,
    },
  };
}

/** As docs/aws.md says to create it. */
async function createQueue(endpoint: string): Promise<void> {
  const scope = `${CREDENTIALS.accessKeyId}/20260101/${REGION}/sqs/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, Signature=0`;
  const headers = { authorization, 'x-amz-target': 'AmazonSQS.CreateQueue' };
  const body = JSON.stringify({ QueueName: QUEUE, Attributes: { MessageRetentionPeriod: '300' } });
  const { ok, status } = await fetch(endpoint, { method: 'POST', headers, body });
  if (!ok) throw new Error(`the queue was not created: ${status}`);
}

async function answer(request: EnvironmentRequest): Promise<void> {
  const begun = performance.now();
  const elapsed = (): number => (performance.now() - begun) / 1000;
  const before = new Set(nodeClaims.uids());
  let provisionedSeconds = 0;
  const isDone = await begin(request, before);
  while (!isDone() && elapsed() < MOST_SECONDS) {
    if (provisionedSeconds === 0 && nodeClaims.uids().some((uid) => !before.has(uid))) provisionedSeconds = elapsed();
    await sleep(POLL_MS);
  }
  const seconds = elapsed();
  while (request.kind === 'storm' && provisionedSeconds === 0 && elapsed() < MOST_SECONDS) {
    if (nodeClaims.uids().some((uid) => !before.has(uid))) provisionedSeconds = elapsed();
    await sleep(POLL_MS);
  }
  const answered: EnvironmentAnswer = {
    seconds,
    nodeClaims: before.size,
    provisionedSeconds,
    messages: emulator.sqs.size(QUEUE),
  };
  process.send!(answered);
}

/** Starts what is asked for. Resolves with how to tell that it is done. */
async function begin(request: EnvironmentRequest, before: ReadonlySet<string>): Promise<() => boolean> {
  switch (request.kind) {
    case 'pods':
      await cluster.client.create(...podManifests(request.name, request.count));
      return () => nodeClaims.readyCount() >= request.count;
    case 'noise':
      for (let sent = 0; sent < request.messages; sent++) emulator.sqs.send(QUEUE, NO_OP);
      return () => emulator.sqs.size(QUEUE) === 0;
    default:
      request.kind satisfies 'storm';
      await cluster.client.create(...podManifests('late', request.pods));
      for (const { id, state } of emulator.ec2.instances()) if (state === 'running') emulator.ec2.interrupt(id);
      return () => [...before].every((uid) => nodeClaims.isEnding(uid));
  }
}
