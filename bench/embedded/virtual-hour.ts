// A process of its own: one virtual hour of a cluster with churn, over the in-process transport. Sends what it took.
import { type Cluster, simulatedNode, startCluster } from '@karpenter-ts/embedded';
import { type ApiObject, DEPLOYMENTS, NODES, PODS } from '@karpenter-ts/kubernetes';
import { HOUR, MINUTE, VirtualClock } from '@karpenter-ts/runtime';

export interface VirtualHourFigures {
  readonly wallSeconds: number;
  readonly podsCreated: number;
}

const NODE_COUNT = 500;
const DEPLOYMENT_COUNT = 100;
const REPLICAS = 50;

const clock = new VirtualClock();
const nodeOf = (i: number) =>
  simulatedNode({ name: `node-${i}`, zone: `zone-${'abc'[i % 3]}`, cpu: '4', memory: '16Gi' });
const cluster = await startCluster({ clock, seed: 1, nodes: Array.from({ length: NODE_COUNT }, (_, i) => nodeOf(i)) });
for (let i = 0; i < DEPLOYMENT_COUNT; i++) await cluster.client.create(DEPLOYMENTS, deployment(i));
await clock.advance(2 * MINUTE);
const before = await runningPods(cluster);
if (before !== DEPLOYMENT_COUNT * REPLICAS)
  throw new Error(`${before} pods run instead of ${DEPLOYMENT_COUNT * REPLICAS}`);

const started = performance.now();
for (let minute = 0; minute < HOUR / MINUTE; minute++) {
  await churn(cluster, minute);
  await clock.advance(1 * MINUTE);
}
const wallSeconds = (performance.now() - started) / 1000;
const after = await runningPods(cluster);
if (after !== before) throw new Error(`${after} pods run instead of ${before}`);
const { items } = await cluster.client.listAll<ApiObject>(PODS);
const podsCreated = items.filter(
  ({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') > clock.now() - HOUR,
).length;
await clock.runUntil(cluster.stop());
process.send?.({ wallSeconds, podsCreated } satisfies VirtualHourFigures);
process.disconnect();

/** Every minute a Deployment is rolled out, twenty pods are deleted, and a node goes and another comes. */
async function churn({ client }: Cluster, minute: number): Promise<void> {
  const name = `web-${minute % DEPLOYMENT_COUNT}`;
  const restartedAt = new Date(clock.now()).toISOString();
  const body = {
    spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': restartedAt } } } },
  };
  await client.patch(DEPLOYMENTS, { namespace: 'default', name }, { type: 'strategic', body });
  const selector = { namespace: 'default', labelSelector: `app=web-${(minute + 50) % DEPLOYMENT_COUNT}` };
  const { items } = await client.listAll(PODS, selector);
  for (const { metadata } of items.slice(0, 20)) await client.delete(PODS, metadata);
  await client.delete(NODES, { name: `node-${minute}` });
  await client.create<ApiObject>(NODES, nodeOf(NODE_COUNT + minute));
}

async function runningPods({ client }: Cluster): Promise<number> {
  const { items } = await client.listAll(PODS, { fieldSelector: 'status.phase=Running' });
  return items.length;
}

function deployment(i: number): ApiObject {
  const labels = { app: `web-${i}` };
  const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '200m', memory: '256Mi' } } }];
  const object = {
    metadata: { name: `web-${i}`, namespace: 'default' },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
  return object;
}
