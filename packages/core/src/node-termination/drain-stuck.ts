import { isProtecting, NODE_CLAIMS, NODEPOOL_LABEL, readDoNotDisrupt } from '@karpenter-ts/apis';
import { type Node, NODES, objectKey, type Pod } from '@karpenter-ts/kubernetes';
import {
  type Controller,
  defineGauge,
  durationText,
  type EventDraft,
  gaugeSample,
  HOUR,
  type Instant,
  MINUTE,
  nameList,
  SeriesSets,
  singleton,
  subjectOf,
} from '@karpenter-ts/runtime';
import { isTerminating } from '../kinds/pod.ts';
import type { PodDisruptionBudgets } from '../pods/disruption-budgets.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNode } from '../state/managed.ts';
import { findNodeClaim, podsOn } from '../state/node-nodeclaim-links.ts';
import { isDrainable, isWaitingForEviction } from './pod-drain.ts';
import { pendingAttachments } from './volume-attachments.ts';

/** What a drain waits for, as a label of a metric, in the order in which it is named (spec 09 C5). */
const BLOCKERS = ['pdb', 'do_not_disrupt', 'finalizer', 'volume', 'pod_grace', 'unknown'] as const;
type DrainBlocker = (typeof BLOCKERS)[number];

/** One thing that a drain waits for, as people read it. */
interface DrainObstacle {
  readonly blocker: DrainBlocker;
  readonly text: string;
}

const drainStuck = defineGauge(
  'karpenter_ext_drain_stuck',
  ['nodepool', 'blocker'],
  'Number of nodes that have been draining for longer than --drain-stuck-after. Labeled by nodepool and blocker.',
);

const PERIOD = 1 * MINUTE;

export type DrainStuckDeps = ControllerDeps & { readonly podDisruptionBudgets: PodDisruptionBudgets };

/** Tells of nodes whose drain does not end, by a gauge and by hourly events that name what it waits for. */
export function drainStuckController(core: DrainStuckDeps): Controller {
  const { caches, clock, events, metrics, options, provider } = core;
  const series = new SeriesSets(metrics);
  return singleton('node.drainstuck', () => {
    const now = clock.now();
    const counts = new Map<string, number>(); // by NodePool and blocker
    for (const node of caches.nodes.list()) {
      const since = Date.parse(node.metadata.deletionTimestamp ?? '');
      if (!(now - since >= options.drainStuckAfter) || !isManagedNode(node, provider)) continue;
      const obstacles = findDrainObstacles(node, core, now);
      const key = JSON.stringify([node.metadata.labels?.[NODEPOOL_LABEL] ?? '', firstOf(obstacles)]);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      events.publish(...drainStuckEvents(node, core, obstacles, now - since));
    }
    const samples = [...counts].map(([key, nodes]) => {
      const [nodepool, blocker] = JSON.parse(key) as [string, DrainBlocker];
      return gaugeSample(drainStuck, { nodepool, blocker }, nodes);
    });
    series.replace('drains', samples);
    return Promise.resolve({ requeueAfter: PERIOD });
  });
}

/** Everything that the drain of a node waits for now. */
function findDrainObstacles(
  node: Node,
  { caches, podDisruptionBudgets }: Pick<DrainStuckDeps, 'caches' | 'podDisruptionBudgets'>,
  now: Instant,
): readonly DrainObstacle[] {
  const { name } = node.metadata;
  const ofPods = podsOn(name, caches).flatMap((pod) => findPodObstacle(pod, podDisruptionBudgets, now) ?? []);
  const volumes = pendingAttachments(name, caches, now).map(({ metadata }): DrainObstacle => {
    return { blocker: 'volume', text: `VolumeAttachment ${metadata.name}` };
  });
  return [...ofPods, ...volumes];
}

/** Why the pod is still there; undefined if the drain does not wait for it. */
function findPodObstacle(pod: Pod, budgets: PodDisruptionBudgets, now: Instant): DrainObstacle | undefined {
  const key = objectKey(pod.metadata);
  const { finalizers = [], deletionTimestamp = '' } = pod.metadata;
  if (isTerminating(pod)) {
    // The grace period is over, so only a finalizer keeps the object.
    const isHeld = finalizers.length > 0 && Date.parse(deletionTimestamp) <= now;
    if (isHeld) return { blocker: 'finalizer', text: `${key} (finalizer ${finalizers.join(', ')})` };
    return isDrainable(pod, now) ? { blocker: 'pod_grace', text: `${key} (terminating)` } : undefined;
  }
  if (!isWaitingForEviction(pod, now)) return undefined;
  const doNotDisrupt = readDoNotDisrupt(pod, now);
  if (isProtecting(doNotDisrupt)) return { blocker: 'do_not_disrupt', text: `${key} (do-not-disrupt)` };
  const block = budgets.findBlock(pod, doNotDisrupt);
  if (block === undefined) return { blocker: 'unknown', text: key };
  const names = block.budgets.map(({ metadata }) => objectKey(metadata)).join(', ');
  return { blocker: 'pdb', text: `${key} (PodDisruptionBudget ${names})` };
}

function firstOf(obstacles: readonly DrainObstacle[]): DrainBlocker {
  return BLOCKERS.find((blocker) => obstacles.some((one) => one.blocker === blocker)) ?? 'unknown';
}

function drainStuckEvents(
  node: Node,
  { caches }: Pick<ControllerDeps, 'caches'>,
  obstacles: readonly DrainObstacle[],
  age: number,
): readonly EventDraft[] {
  const waitsFor =
    obstacles.length === 0
      ? 'its instance'
      : nameList(
          obstacles.map(({ text }) => text),
          5,
        );
  const message = `Draining for ${durationText(Math.floor(age / MINUTE) * MINUTE)}, waiting for ${waitsFor}`;
  const nodeClaim = findNodeClaim(node, caches);
  const subjects = [subjectOf(NODES, node), ...(nodeClaim === undefined ? [] : [subjectOf(NODE_CLAIMS, nodeClaim)])];
  const dedupe = [node.metadata.uid ?? node.metadata.name];
  return subjects.map((on) => ({
    on,
    type: 'Warning',
    reason: 'DrainStuck',
    message,
    dedupe: [...dedupe, on.kind],
    dedupeTimeout: 1 * HOUR,
  }));
}
