import { type ObjectCondition, type Pod, timestamp } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';

/** Why a pod has no node: `Unschedulable` fits nowhere, `SchedulerError` failed on its way to one. */
export interface SchedulingFailure {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  /** Whether the node promised to the pod is no longer. */
  readonly endsNomination: boolean;
}

/** The change to the pod's status that tells of the failure; undefined if it is told already. */
export function failurePatch(pod: Pod, failure: SchedulingFailure, now: Instant): object | undefined {
  const { reason, message, endsNomination } = failure;
  const old = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const { generation } = pod.metadata;
  const isKnown =
    old?.status === 'False' &&
    old.reason === reason &&
    old.message === message &&
    old.observedGeneration === generation;
  const clears = endsNomination && Boolean(pod.status?.nominatedNodeName);
  if (isKnown && !clears) return undefined;
  const condition: ObjectCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason,
    message,
    lastProbeTime: null,
    lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? null) : timestamp(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  return { status: { conditions: [condition], ...(clears && { nominatedNodeName: null }) } };
}
