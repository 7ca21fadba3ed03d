import {
  type AnnotationReview,
  NODE_POOL_CONDITIONS,
  NODE_POOLS,
  type NodePool,
  reviewAnnotations,
} from '@karpenter-ts/apis';
import { type ConditionChange } from '@karpenter-ts/kubernetes';
import {
  type Controller,
  DONE,
  type EventDraft,
  HOUR,
  kindSource,
  patchStatus,
  subjectOf,
} from '@karpenter-ts/runtime';
import { withCondition, withoutCondition } from '../writes/conditions.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNodePool } from '../state/managed.ts';

const TYPE = 'ExtensionsValid';

/**
 * Keeps the condition `ExtensionsValid` of NodePools that use extensions and publishes what is wrong with their
 * annotations: a bad value is never ignored silently (spec 09 §0.2).
 */
export function extensionsController({ caches, client, clock, events, options, provider }: ControllerDeps): Controller {
  return {
    name: 'nodepool.extensions',
    kind: NODE_POOLS,
    concurrency: 10,
    sources: [kindSource(caches.nodePools, { when: ({ object }) => isManagedNodePool(object, provider) })],
    reconcile: async (name, signal) => {
      const nodePool = caches.nodePools.get(name);
      if (nodePool === undefined || !isManagedNodePool(nodePool, provider)) return DONE;
      const review = reviewAnnotations(nodePool, options.extensions);
      await patchStatus(client, NODE_POOLS, nodePool, withVerdict(nodePool, review, clock.now()), signal);
      events.publish(...(review?.problems ?? []).map((problem) => invalidExtension(nodePool, problem)));
      return DONE;
    },
  };
}

function withVerdict(nodePool: NodePool, review: AnnotationReview | undefined, now: number): NodePool {
  if (review === undefined) return withoutCondition(nodePool, NODE_POOL_CONDITIONS, TYPE, now);
  return withCondition(nodePool, NODE_POOL_CONDITIONS, verdict(review), now);
}

function verdict({ problems, switchedOff }: AnnotationReview): ConditionChange<typeof TYPE> {
  if (problems.length === 0) return { type: TYPE, status: 'True', message: switchedOff.join(', ') };
  return { type: TYPE, status: 'False', reason: 'InvalidAnnotation', message: problems.join(', ') };
}

/** The message names the annotation and its value, so each problem is published once an hour. */
function invalidExtension(nodePool: NodePool, message: string): EventDraft {
  return {
    on: subjectOf(NODE_POOLS, nodePool),
    type: 'Warning',
    reason: 'InvalidExtension',
    message,
    dedupe: [nodePool.metadata.uid ?? '', message],
    dedupeTimeout: 1 * HOUR,
  };
}
