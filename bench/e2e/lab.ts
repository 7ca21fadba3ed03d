import { setTimeout as sleep } from 'node:timers/promises';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { Client, findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { startLab } from '../../e2e/lab/lab.ts';
import { startController } from './controller.ts';
import { startUpstream } from './upstream.ts';
import { createPool, type Demand, runPods } from './workload.ts';

/** Ours, or upstream's at this path. */
export type Contender = { readonly kind: 'ours' } | { readonly kind: 'upstream'; readonly path: string };

/** Both have synced by then. */
const SETTLE_MS = 5_000;

/**
 * A real control plane with KWOK kubelets, fresh each time, one controller, and then these pods all at once. Resolves
 * with the seconds until all of them run.
 */
export async function measureOnLab(contender: Contender, demand: Demand): Promise<number> {
  const lab = await startLab({ name: `bench-${process.pid}` });
  try {
    const env = { KUBECONFIG: lab.kubeconfigPath };
    const crds = RESOURCES.kwok.map((resource) => customResourceDefinition(resource));
    await lab.kubectl(['create', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: crds }),
    });
    const controller =
      contender.kind === 'ours'
        ? await startController(lab.kubeconfigPath)
        : await startUpstream(contender.path, lab.kubeconfigPath);
    const connection = await findConnection({ env });
    const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
    const client = new Client({ transport, clock: realClock, userAgent: 'karpenter/bench' });
    try {
      await sleep(SETTLE_MS);
      await createPool(client, demand);
      await sleep(SETTLE_MS);
      return await runPods(client, demand);
    } finally {
      transport.close();
      await controller.stop();
    }
  } finally {
    await lab.stop();
  }
}
