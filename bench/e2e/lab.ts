import { setTimeout as sleep } from 'node:timers/promises';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { Client, findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { PODS } from '@karpenter-ts/kubernetes';
import { startLab } from '../../e2e/lab/lab.ts';
import { startController } from './controller.ts';
import { startUpstream } from './upstream.ts';
import { createPool, type Demand, drainPool, runPods } from './workload.ts';

/** Our controller, with settings as environment variables, or upstream's binary at this path. */
export type Contender =
  | { readonly kind: 'ours'; readonly settings?: Readonly<Record<string, string>> }
  | { readonly kind: 'upstream'; readonly path: string };

/** Both have synced by then. */
const SETTLE_MS = 5_000;

/** How long a drain took, and the largest number of pods whose deletion was requested within one second. */
export interface DrainFigures {
  readonly seconds: number;
  readonly evictionsPerSecond: number;
}

/** Creates these pods all at once and measures the seconds until all of them run. */
export function measureOnLab(contender: Contender, demand: Demand): Promise<number> {
  return onLab(contender, demand, (client) => runPods(client, demand, demand.pods));
}

/** Deletes the NodePool of these pods once they run, and measures how long until its last node is gone. */
export function measureDrainOnLab(contender: Contender, demand: Demand): Promise<DrainFigures> {
  return onLab(contender, demand, async (client) => {
    await runPods(client, demand, demand.pods);
    const evictions = countEvictions(client);
    const seconds = await drainPool(client, demand);
    return { seconds, evictionsPerSecond: evictions.stop() };
  });
}

/**
 * Runs the work on a real control plane with KWOK kubelets, set up for each run, with one controller and one NodePool.
 */
export async function onLab<T>(contender: Contender, demand: Demand, work: (client: Client) => Promise<T>): Promise<T> {
  const lab = await startLab({ name: `bench-${process.pid}` });
  try {
    const env = { KUBECONFIG: lab.kubeconfigPath };
    const crds = RESOURCES.kwok.map((resource) => customResourceDefinition(resource));
    await lab.kubectl(['create', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: crds }),
    });
    const controller =
      contender.kind === 'ours'
        ? startController(lab.kubeconfigPath, contender.settings)
        : await startUpstream(contender.path, lab.kubeconfigPath);
    const connection = await findConnection({ env });
    const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
    const client = new Client({ transport, clock: realClock, userAgent: 'karpenter/bench' });
    try {
      await sleep(SETTLE_MS);
      await createPool(client, demand);
      await sleep(SETTLE_MS);
      return await work(client);
    } finally {
      transport.close();
      await controller.stop();
    }
  } finally {
    await lab.stop();
  }
}

/** Counts deletion requests for pods until it is stopped; returns the number in the busiest second. */
function countEvictions(client: Client): { readonly stop: () => number } {
  const stopping = new AbortController();
  const told = new Set<string>();
  const perSecond = new Map<number, number>();
  const follow = async (): Promise<void> => {
    for await (const event of client.watch(PODS, { resourceVersion: '0' }, stopping.signal)) {
      if (event.type === 'BOOKMARK') continue;
      const { uid = '', deletionTimestamp } = event.object.metadata;
      if (deletionTimestamp === undefined || told.has(uid)) continue;
      told.add(uid);
      const second = Math.floor(performance.now() / 1000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
  };
  follow().catch(() => undefined); // it ends with the bench
  return {
    stop: () => {
      stopping.abort();
      return Math.max(0, ...perSecond.values());
    },
  };
}
