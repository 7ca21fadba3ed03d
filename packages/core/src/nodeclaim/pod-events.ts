import { type IgnoredPods, NODE_CLAIMS, type NodeClaim, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import {
  type Controller,
  DONE,
  type Enqueuer,
  type Instant,
  scaleConcurrency,
  SECOND,
  type Source,
  unlessGone,
} from '@karpenter-ts/runtime';
import { instantOf, matchesLabels, NODES, type Pod, timestamp } from '@karpenter-ts/kubernetes';
import { PoolSettings } from '../options/pool-settings.ts';
import type { InformerCaches } from '../state/caches.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isDaemonPod, isTerminal, isTerminating } from '../kinds/pod.ts';
import { findNodeClaim } from '../state/node-nodeclaim-links.ts';
import { isManagedNodeClaim } from '../state/managed.ts';

/** Limits the writes for busy Nodes. Shorter than consolidation waits between planning and validation. */
const QUIET = 10 * SECOND;

/**
 * Records on a NodeClaim when a pod was last bound to or removed from its Node; `consolidateAfter` counts from that
 * time (spec 03 §13). The key is the Node: a burst of pods on one Node is one pass, and Nodes do not wait for each
 * other. Pods that exist when the process starts count from when they changed, so a restart resets nothing. NodePools may
 * name pods that do not count (spec 09 B4).
 */
export function podEventsController(core: ControllerDeps): Controller {
  const { caches, clock, options, provider } = core;
  const settings = new PoolSettings(options);
  const isIgnored = (pod: Pod): boolean => {
    const pool = caches.nodes.get(pod.spec.nodeName ?? '')?.metadata.labels?.[NODEPOOL_LABEL] ?? '';
    const nodePool = caches.nodePools.get(pool);
    return isDaemonPod(pod) || (nodePool !== undefined && isIgnoredBy(settings.of(nodePool).ignoredPods, pod));
  };
  const lastEvents = new Map<string, Instant>(); // by name of the Node: times that the NodeClaim may not show yet
  return {
    name: 'nodeclaim.podevents',
    kind: NODES,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    sources: [podEvents({ pods: caches.pods, lastEvents, isIgnored, now: () => clock.now() })],
    reconcile: async (nodeName, signal) => {
      const at = lastEvents.get(nodeName);
      const node = caches.nodes.get(nodeName);
      const nodeClaim = node && findNodeClaim(node, caches);
      if (at !== undefined && nodeClaim !== undefined && isManagedNodeClaim(nodeClaim, provider)) {
        await noteEvent({ ...core, signal }, nodeClaim, at);
      }
      if (lastEvents.get(nodeName) === at) lastEvents.delete(nodeName);
      return DONE;
    },
  };
}

async function noteEvent(
  { client, signal }: ControllerDeps & { readonly signal: AbortSignal },
  { metadata, status }: NodeClaim,
  at: Instant,
): Promise<void> {
  const noted = status?.lastPodEventTime;
  if (noted !== undefined && at - Date.parse(noted) < QUIET) return;
  const body = { status: { lastPodEventTime: timestamp(at) } };
  const { name } = metadata;
  await unlessGone(client.patch(NODE_CLAIMS, { name }, { type: 'merge', body }, { subresource: 'status' }, signal));
}

function isIgnoredBy({ jobs, selector }: IgnoredPods, { metadata }: Pod): boolean {
  if (jobs && metadata.ownerReferences?.some(({ apiVersion, kind }) => kind === 'Job' && isBatch(apiVersion)))
    return true;
  return selector !== undefined && matchesLabels(selector, metadata.labels ?? {});
}

function isBatch(apiVersion: string): boolean {
  return apiVersion.startsWith('batch/');
}

interface PodEventSource {
  readonly pods: InformerCaches['pods'];
  readonly lastEvents: Map<string, Instant>;
  /** Pods that leave their node quiet. */
  readonly isIgnored: (pod: Pod) => boolean;
  readonly now: () => Instant;
}

/** Enqueues names of Nodes and records in `lastEvents` when something happened there. */
function podEvents({ pods, lastEvents, isIgnored, now }: PodEventSource): Source {
  const note = (queue: Enqueuer<string>, { spec }: Pod, at: Instant | undefined): void => {
    const nodeName = spec.nodeName ?? '';
    if (nodeName === '' || at === undefined || at <= (lastEvents.get(nodeName) ?? 0)) return;
    lastEvents.set(nodeName, at);
    queue.add(nodeName);
  };
  return {
    name: 'kind source: *v1.Pod',
    watched: { kind: '*v1.Pod', cache: pods },
    attach: (queue) =>
      pods.addHandlerInTurns({
        onAdd: (pod, isInitial) => {
          if (!isIgnored(pod)) note(queue, pod, isInitial ? timeOfLastEvent(pod) : now());
        },
        onUpdate: (old, pod) => {
          if (isEvent(old, pod) && !isIgnored(pod)) note(queue, pod, now());
        },
      }),
  };
}

/** Whether the pod was bound, has ended, or has begun to terminate with this change. */
function isEvent(old: Pod, pod: Pod): boolean {
  if (!pod.spec.nodeName) return false;
  const isBound = !old.spec.nodeName;
  return isBound || (!isTerminal(old) && isTerminal(pod)) || (!isTerminating(old) && isTerminating(pod));
}

/** When a pod that existed at the start was bound or began to terminate; undefined if it does not say. */
function timeOfLastEvent({ metadata, spec, status }: Pod): Instant | undefined {
  const { deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) {
    return Date.parse(deletionTimestamp) - (spec.terminationGracePeriodSeconds ?? 0) * SECOND;
  }
  return instantOf(status?.conditions?.find(({ type }) => type === 'PodScheduled')?.lastTransitionTime);
}
