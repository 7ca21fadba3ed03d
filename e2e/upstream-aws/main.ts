// npm run test:upstream-aws: upstream's own AWS controller on a real control plane, with our emulator for its AWS. It
// must start, discover, launch a node that runs a pod, and end it: an emulator that only we can live with is wrong.
import { isTrue, type Node, NODES, type Pod, PODS, READY } from '@karpenter-ts/kubernetes';
import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { Client, findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { interruptSignal } from '../lab/interrupt.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { type AwsCloud, startAwsCloud } from '../operator/aws-cloud.ts';
import { nodeClassManifest, nodePoolManifest, podManifest } from '../operator/aws-manifests.ts';
import { installCrds } from '../operator/crds.ts';
import { until } from '../operator/until.ts';
import { startUpstream, type UpstreamController } from './controller.ts';

interface Trial {
  readonly lab: Lab;
  readonly client: Client;
  readonly cloud: AwsCloud;
  readonly upstream: UpstreamController;
}

/** Says what it has come to, with the seconds since the start. */
function say(what: string): void {
  process.stdout.write(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${what}\n`);
}

async function watch<T>(trial: Trial, what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  const answer = await until(what, async () => {
    if (!trial.upstream.isRunning) return 'ended' as const;
    return ask();
  });
  if (answer === 'ended') throw new Error(`upstream's controller ended before this: ${what}`);
  say(what);
  return answer;
}

async function runTrial(trial: Trial): Promise<void> {
  const { client, cloud, lab, upstream } = trial;
  const { ec2 } = cloud.emulator;
  await watch(trial, 'the controller has started', async () => upstream.lines.some(isStarted));
  await create(lab, nodeClassManifest('default'), nodePoolManifest('default'), podManifest('app', 'default'));
  const [nodeClaim] = await watch(trial, 'a NodeClaim is launched', async () => {
    const { items } = await client.listAll<NodeClaim>(NODE_CLAIMS);
    return items.some((each) => isTrue(each, 'Launched')) && items;
  });
  await watch(trial, 'its instance has joined, and the NodeClaim is Ready', async () => {
    return isTrue(await client.get<NodeClaim>(NODE_CLAIMS, nodeClaim!.metadata), READY);
  });
  await watch(trial, 'the pod runs', async () => {
    return (await client.get<Pod>(PODS, { name: 'app', namespace: 'default' })).status?.phase === 'Running';
  });
  await compareCapacity(client, nodeClaim!.metadata.name);
  await client.delete(NODE_CLAIMS, nodeClaim!.metadata);
  await client.delete(PODS, { name: 'app', namespace: 'default' }, { gracePeriodSeconds: 0 });
  await watch(trial, 'after its deletion the NodeClaim is gone, and the Node with it', async () => {
    const [nodeClaims, nodes] = await Promise.all([client.listAll(NODE_CLAIMS), client.listAll(NODES)]);
    return nodeClaims.items.length === 0 && nodes.items.length === 0;
  });
  await watch(trial, 'its instance is terminated', async () =>
    ec2.instances().every((each) => each.state === 'terminated'),
  );
}

function isStarted({ message }: { readonly message: string }): boolean {
  return message === 'Starting workers';
}

/** The Node may not have less than the NodeClaim promises: memory is what instance types are most often wrong about. */
async function compareCapacity(client: Client, name: string): Promise<void> {
  const { status } = await client.get<NodeClaim>(NODE_CLAIMS, { name });
  const node = await client.get<Node>(NODES, { name: status!.nodeName! });
  say(`promised ${JSON.stringify(status?.capacity)}`);
  say(`got      ${JSON.stringify(node.status?.capacity)}`);
}

async function create(lab: Lab, ...items: readonly object[]): Promise<void> {
  await lab.kubectl(['create', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
}

/** Errors that the controller logs are the emulator's, unless their cause is known. */
function report({ cloud, upstream }: Trial): void {
  say('requests:');
  for (const [call, count] of [...cloud.requests].sort(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(`         ${call} ${count}\n`);
  const errors = new Map<string, number>();
  for (const { level, message, error = '' } of upstream.lines) {
    if (level === 'ERROR') errors.set(`${message} ${error}`, (errors.get(`${message} ${error}`) ?? 0) + 1);
  }
  say(`errors in the log: ${errors.size}`);
  for (const [text, count] of errors) process.stdout.write(`         ${count} × ${text}\n`);
}

async function main(signal: AbortSignal): Promise<void> {
  const lab = await startLab({ name: `upstream-aws-${process.pid}`, onProgress: say }, signal);
  const env = { KUBECONFIG: lab.kubeconfigPath };
  const connection = await findConnection({ env });
  const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
  try {
    const client = new Client({ transport, clock: realClock, userAgent: 'karpenter/e2e' });
    await installCrds(lab, 'aws');
    const cloud = await startAwsCloud(lab, client);
    const upstream = await startUpstream(lab, cloud.env);
    const trial = { lab, client, cloud, upstream };
    try {
      await runTrial(trial);
      say('passed');
    } catch (error) {
      for (const line of upstream.lines.slice(-40)) process.stdout.write(`${JSON.stringify(line)}\n`);
      throw error;
    } finally {
      report(trial);
      await upstream.stop();
      await cloud.stop();
    }
  } finally {
    transport.close();
    await lab.stop();
  }
}

await main(interruptSignal());
