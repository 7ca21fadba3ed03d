// A process of its own: cluster and controller run in virtual time for an hour of churn. Sends how the heap grew.
import { createOperator, operatorOptions } from '@karpenter-ts/core';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { kwokModule } from '@karpenter-ts/provider-kwok';
import { startCluster } from '@karpenter-ts/embedded';
import { defaultsOf, Metrics, MINUTE, nullLogger, VirtualClock } from '@karpenter-ts/runtime';
import { DEPLOYMENTS, NODES, PODS } from '@karpenter-ts/kubernetes';
import { countNodes, createPods, createPool, type Demand, untilReady } from './workload.ts';

export interface VirtualHourFigures {
  readonly nodes: number;
  /** Heap after a collection, every ten minutes. */
  readonly heapMegabytes: readonly number[];
}

const DEPLOYMENT_COUNT = 50;
const DEMAND: Demand = { name: 'web', pods: 5_000, cpu: '750m', memory: '1Gi', nodeCpu: '16' };
/** Events expire after an hour, so until then the API server's heap grows as expected. */
const WARM_UP_MINUTES = 70;
const MEASURED_MINUTES = 60;
const SAMPLE_MINUTES = 10;

const clock = new VirtualClock();
const cluster = await startCluster({ clock, seed: 1, crds: RESOURCES.kwok.map(customResourceDefinition) });
const { client } = cluster;
const stop = new AbortController();
const { manager } = await createOperator({
  options: { ...defaultsOf(operatorOptions), disableLeaderElection: true },
  provider: kwokModule.configure({ catalogue: 'kwok', instanceTypesFilePath: '' }),
  transport: cluster.transport,
  clock,
  logger: nullLogger,
  metrics: new Metrics(clock),
  build: { version: '0', commit: '' },
  random: () => 0.5,
  serves: false,
});
const running = manager.start(stop.signal);

await createPool(client, DEMAND);
await createPods(client, DEMAND, DEMAND.pods / DEPLOYMENT_COUNT);
await clock.advance(5 * MINUTE);
await untilReady(client, DEMAND.pods);
const heapMegabytes: number[] = [];
for (let minute = 0; minute <= WARM_UP_MINUTES + MEASURED_MINUTES; minute++) {
  if (minute >= WARM_UP_MINUTES && (minute - WARM_UP_MINUTES) % SAMPLE_MINUTES === 0) heapMegabytes.push(heapUsed());
  await churn(minute);
  await clock.advance(1 * MINUTE);
}
await untilReady(client, DEMAND.pods);
const nodes = await countNodes(client);
process.send?.({ nodes, heapMegabytes } satisfies VirtualHourFigures);
process.disconnect();
stop.abort();
await clock.runUntil(running);
await clock.runUntil(cluster.stop());

/** Every minute a Deployment is rolled out, twenty pods of another are deleted, and a node. */
async function churn(minute: number): Promise<void> {
  const ref = { namespace: 'default', name: `web-${minute % DEPLOYMENT_COUNT}` };
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date(clock.now()).toISOString() };
  const body = { spec: { template: { metadata: { annotations } } } };
  await client.patch(DEPLOYMENTS, ref, { type: 'merge', body });
  const labelSelector = `app=web-${(minute + DEPLOYMENT_COUNT / 2) % DEPLOYMENT_COUNT}`;
  const { items } = await client.listAll(PODS, { namespace: 'default', labelSelector });
  for (const { metadata } of items.slice(0, 20)) await client.delete(PODS, metadata);
  const [node] = (await client.listAll(NODES)).items;
  if (node !== undefined) await client.delete(NODES, node.metadata);
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}
