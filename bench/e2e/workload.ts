import { setTimeout as sleep } from 'node:timers/promises';
import { KWOK_NODE_CLASSES } from '@karpenter-ts/provider-kwok';
import {
  type ApiObject,
  apiVersionOf,
  DEPLOYMENTS,
  NODES,
  type ResourceType,
  STATEFUL_SETS,
} from '@karpenter-ts/kubernetes';
import type { Client } from '@karpenter-ts/runtime';
import { NODE_POOLS } from '@karpenter-ts/apis';

/** A workload: equal pods, and the size of their nodes in cores. */
export interface Demand {
  /** Of the NodePool, and prefix of the Deployments. */
  readonly name: string;
  readonly pods: number;
  readonly cpu: string;
  readonly memory: string;
  /** Size of the nodes; any unless told. */
  readonly nodeCpu?: string;
}

/** More pods than this are split into several Deployments, as is usual. */
const PODS_PER_DEPLOYMENT = 200;
const POLL_MS = 100;

/** Creates the NodePool that takes the pods of a demand and no others, and the NodeClass of that name. */
export async function createPool(client: Client, { name, nodeCpu }: Demand): Promise<void> {
  await client.create(KWOK_NODE_CLASSES, objectOf(KWOK_NODE_CLASSES, name, {}));
  const nodeClassRef = { group: KWOK_NODE_CLASSES.group, kind: KWOK_NODE_CLASSES.kind, name };
  const key = 'karpenter.kwok.sh/instance-cpu';
  const requirements = nodeCpu === undefined ? [] : [{ key, operator: 'In', values: [nodeCpu] }];
  const disruption = { consolidateAfter: 'Never' }; // what is bought, stays
  const spec = { template: { spec: { nodeClassRef, requirements } }, disruption };
  await client.create(NODE_POOLS, objectOf(NODE_POOLS, name, spec));
}

/** Creates the Deployments of a demand. */
export async function createPods(
  client: Client,
  demand: Demand,
  podsPerDeployment = PODS_PER_DEPLOYMENT,
): Promise<void> {
  for (let left = demand.pods, i = 0; left > 0; left -= podsPerDeployment, i++) {
    await client.create(DEPLOYMENTS, deployment(`${demand.name}-${i}`, Math.min(left, podsPerDeployment), demand));
  }
}

/** Creates the pods. Resolves with the seconds until all of them run. */
export async function runPods(client: Client, demand: Demand, podsPerDeployment?: number): Promise<number> {
  const started = performance.now();
  await createPods(client, demand, podsPerDeployment);
  await untilReady(client, demand.pods, `demand=${demand.name}`);
  return (performance.now() - started) / 1000;
}

/** Deletes the NodePool of a demand. Resolves with the seconds until its last node is gone. */
export async function drainPool(client: Client, { name }: Demand): Promise<number> {
  const started = performance.now();
  await client.delete(NODE_POOLS, { name });
  const labelSelector = `karpenter.sh/nodepool=${name}`;
  while ((await client.listAll(NODES, { labelSelector })).items.length > 0) await sleep(POLL_MS);
  return (performance.now() - started) / 1000;
}

/** Resolves when so many pods of Deployments and StatefulSets are ready. */
export async function untilReady(client: Client, pods: number, labelSelector?: string): Promise<void> {
  while ((await countReady(client, labelSelector)) < pods) await sleep(POLL_MS);
}

/** How many nodes there are. */
export async function countNodes(client: Client): Promise<number> {
  return (await client.listAll(NODES)).items.length;
}

async function countReady(client: Client, labelSelector: string | undefined): Promise<number> {
  type Workload = ApiObject & { readonly status?: { readonly readyReplicas?: number } };
  const selectors = labelSelector === undefined ? {} : { labelSelector };
  const lists = await Promise.all(
    [DEPLOYMENTS, STATEFUL_SETS].map((type) => client.listAll<Workload>(type, selectors)),
  );
  const workloads = lists.flatMap(({ items }) => items);
  return workloads.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
}

function deployment(name: string, replicas: number, demand: Demand): ApiObject {
  const labels = { app: name, demand: demand.name };
  const { cpu, memory } = demand;
  const object: ApiObject & { readonly spec: object } = {
    metadata: { name, namespace: 'default', labels },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { 'karpenter.sh/nodepool': demand.name },
          containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu, memory } } }],
        },
      },
    },
  };
  return object;
}

function objectOf(type: ResourceType, name: string, spec: object): ApiObject {
  const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name }, spec };
  return object;
}
