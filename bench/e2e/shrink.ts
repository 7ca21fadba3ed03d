import { setTimeout as sleep } from 'node:timers/promises';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, NODE_CLAIMS, NODE_POOLS, ZONE_LABEL } from '@karpenter-ts/apis';
import {
  type ApiObject,
  DEPLOYMENTS,
  type Deployment,
  type Node,
  NODES,
  type Pod,
  PODS,
} from '@karpenter-ts/kubernetes';
import { loadCatalogue } from '@karpenter-ts/provider-kwok';
import type { Client } from '@karpenter-ts/runtime';
import { countNodes, type Demand, runPods, untilReady } from './workload.ts';
import { type Contender, onLab } from './lab.ts';

/** What half as many pods made of a cluster. */
export interface ShrinkFigures {
  /** From the removal of the pods to the last change of a Node or NodeClaim. */
  readonly seconds: number;
  readonly nodesBefore: number;
  readonly nodesAfter: number;
  /** Pods that were deleted beyond those removed: they had to move. */
  readonly evictions: number;
  readonly pricePerHourBefore: number;
  readonly pricePerHourAfter: number;
}

/** Sizes of nodes that can replace a larger one when the pods have become fewer, in cores. */
const SMALLER_SIZES: readonly string[] = ['2', '4', '8', '16'];
/** Longer than any pass of upstream at this size, whose two searches may take a minute and three. */
const QUIET_MS = 150_000;
const POLL_MS = 500;

/**
 * Creates the pods of a demand, removes every second one when all run, lets the nodes be consolidated with the default
 * budget, and waits until they stay the same.
 */
export function measureShrink(contender: Contender, demand: Demand): Promise<ShrinkFigures> {
  return onLab(contender, demand, async (client) => {
    await runPods(client, demand);
    const nodesBefore = await countNodes(client);
    const pricePerHourBefore = await pricePerHour(client);
    await allowConsolidation(client, demand);
    const deletedPods = countDeletedPods(client);
    const started = performance.now();
    await halve(client);
    const changedAt = await lastChange(client);
    await untilReady(client, demand.pods / 2, `demand=${demand.name}`);
    return {
      seconds: (changedAt - started) / 1000,
      nodesBefore,
      nodesAfter: await countNodes(client),
      evictions: deletedPods.stop() - demand.pods / 2,
      pricePerHourBefore,
      pricePerHourAfter: await pricePerHour(client),
    };
  });
}

/** Until then the NodePool keeps its nodes, and buys one size only, so that all contenders start from the same nodes. */
async function allowConsolidation(client: Client, { name }: Demand): Promise<void> {
  const requirements = [{ key: 'karpenter.kwok.sh/instance-cpu', operator: 'In', values: SMALLER_SIZES }];
  const body = { spec: { disruption: { consolidateAfter: '0s' }, template: { spec: { requirements } } } };
  await client.patch(NODE_POOLS, { name }, { type: 'merge', body });
}

async function halve(client: Client): Promise<void> {
  const { items } = await client.listAll<Deployment>(DEPLOYMENTS);
  for (const { metadata, spec } of items) {
    await client.patch(DEPLOYMENTS, metadata, { type: 'merge', body: { spec: { replicas: spec.replicas / 2 } } });
  }
}

/** Resolves with the time of the last change once there has been none for long. */
async function lastChange(client: Client): Promise<number> {
  let changedAt = performance.now();
  for (let before = ''; performance.now() - changedAt < QUIET_MS; await sleep(POLL_MS)) {
    const lists = await Promise.all([NODES, NODE_CLAIMS].map((type) => client.listAll<ApiObject>(type)));
    const now = lists.flatMap(({ items }) =>
      items.map(({ metadata }) => `${metadata.uid}${metadata.deletionTimestamp}`),
    );
    const after = now.toSorted().join();
    if (after !== before) changedAt = performance.now();
    before = after;
  }
  return changedAt;
}

/** What all nodes cost by the catalogue of the KWOK provider, which is the same for both contenders. */
async function pricePerHour(client: Client): Promise<number> {
  const { named } = loadCatalogue({ instanceTypesFilePath: '', catalogue: 'kwok' });
  const { items } = await client.listAll<Node>(NODES);
  const prices = items.map(({ metadata: { labels = {} } }) => {
    const [type] = named(labels[INSTANCE_TYPE_LABEL] ?? '');
    const bought = [CAPACITY_TYPE_LABEL, ZONE_LABEL].map((key) => labels[key]);
    const offering = type?.offerings.find(({ requirements }) =>
      bought.every((value) => requirements.some(({ values }) => values?.[0] === value)),
    );
    return offering?.pricePerHour ?? Number.NaN;
  });
  return prices.reduce((sum, price) => sum + price, 0);
}

/** Counts the pods that are deleted while it runs. */
function countDeletedPods(client: Client): { readonly stop: () => number } {
  const stopping = new AbortController();
  const deleted = new Set<string>();
  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      for await (const event of client.watch<Pod>(PODS, { resourceVersion: '0' }, stopping.signal)) {
        if (event.type === 'BOOKMARK') continue;
        const { uid = '', deletionTimestamp } = event.object.metadata;
        if (deletionTimestamp !== undefined || event.type === 'DELETED') deleted.add(uid);
      }
    }
  };
  follow().catch((error: unknown) => {
    if (!stopping.signal.aborted) process.stderr.write(`pods are not counted any more: ${String(error)}\n`);
  });
  return {
    stop: () => {
      stopping.abort();
      return deleted.size;
    },
  };
}
