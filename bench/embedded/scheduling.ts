// A process of its own: plain pods and the nodes for them are there, then the scheduler starts. Sends how long it took.
import { simulatedNode, startCluster } from '@karpenter-ts/embedded';
import { SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { createNodes, createPods, removeTaints, watchPods } from './load.ts';

export interface SchedulingFigures {
  readonly secondsPer1000: number;
}

const NODES = 2_000;
const PODS = 20_000;

const clock = new VirtualClock(); // while it stands still, so do all controllers
const cluster = await startCluster({ clock, seed: 1 });
await createNodes(cluster.client, NODES, (node) => {
  const { metadata, status, ...rest } = simulatedNode(node);
  const { annotations: _, ...plain } = metadata; // no kubelet: only the scheduler has work
  return { ...rest, metadata: plain, status: { ...status, conditions: [{ type: 'Ready', status: 'True' }] } };
});
await removeTaints(cluster.client, NODES); // of nodes that are not ready yet
await createPods(cluster.client, PODS);

const bound = Promise.withResolvers<void>();
let left = PODS;
const stop = new AbortController();
const see = (line: Buffer): void => {
  if (line.includes('"nodeName":') && --left === 0) bound.resolve();
};
await watchPods(cluster.transport, see, stop.signal);
const started = performance.now();
await clock.runUntil(bound.promise);
const seconds = (performance.now() - started) / 1000;
if (clock.elapsed() > 30 * SECOND) throw new Error('pods waited for something other than the scheduler');
process.send?.({ secondsPer1000: (seconds / PODS) * 1000 } satisfies SchedulingFigures);
process.disconnect();
stop.abort();
await clock.runUntil(cluster.stop());
