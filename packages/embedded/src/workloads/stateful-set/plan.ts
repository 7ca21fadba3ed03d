import type { Instant } from '@karpenter-ts/runtime';
import type { ControllerRevision, Pod, StatefulSet } from '@karpenter-ts/kubernetes';
import { isAvailable, isTerminating, isReady, isTerminal } from '../pod-state.ts';
import { isInRange, ordinalOf, podRevision, startOrdinal } from './identity.ts';

/** One step for a pod of the set, in the order given. */
export type Step =
  | { readonly do: 'create'; readonly ordinal: number; readonly revision: ControllerRevision }
  | { readonly do: 'delete'; readonly pod: Pod; readonly why: 'ended' | 'surplus' | 'outdated' }
  /** Its claims, labels and what owns the claims are to be as they should. */
  | { readonly do: 'mend'; readonly ordinal: number; readonly pod: Pod };

export interface Revisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

/** An ordinal and its pod. */
interface Place {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/**
 * The steps to take now. With the policy OrderedReady a pod waits for those before it: it is created only when all
 * lower ordinals are available, and deleted only when all others are, the highest ordinal first. Scaling comes before
 * updating.
 */
export function planSteps(set: StatefulSet, pods: readonly Pod[], revisions: Revisions, now: Instant): readonly Step[] {
  const { places, surplus } = arrange(set, pods);
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  const isUp = (pod: Pod | undefined): boolean => isWorking(set, pod, now);
  const steps: Step[] = [];
  for (const place of places) {
    steps.push(...planPlace(set, place, revisions));
    if (isOrdered && !isUp(place.pod)) return steps;
  }
  if (isOrdered && surplus.length > 0) return [...steps, ...removeNext(surplus, isUp)];
  return [...steps, ...removeAll(surplus), ...planUpdate(set, places, revisions, now)];
}

/** Running, available and not terminating. */
function isWorking({ spec }: StatefulSet, pod: Pod | undefined, now: Instant): boolean {
  return (
    pod !== undefined &&
    pod.status?.phase === 'Running' &&
    isReady(pod) &&
    isAvailable(pod, now, spec.minReadySeconds) &&
    !isTerminating(pod)
  );
}

function arrange(
  set: StatefulSet,
  pods: readonly Pod[],
): { readonly places: readonly Place[]; readonly surplus: readonly Pod[] } {
  const byOrdinal = new Map<number, Pod>();
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== undefined) byOrdinal.set(ordinal, pod);
  }
  const places = Array.from({ length: set.spec.replicas }, (_, i) => {
    const ordinal = startOrdinal(set) + i;
    return { ordinal, pod: byOrdinal.get(ordinal) };
  });
  const surplus = [...byOrdinal].filter(([ordinal]) => !isInRange(set, ordinal)).toSorted(([a], [b]) => b - a);
  return { places, surplus: surplus.map(([, pod]) => pod) };
}

function planPlace(set: StatefulSet, { ordinal, pod }: Place, revisions: Revisions): readonly Step[] {
  if (pod === undefined) return [{ do: 'create', ordinal, revision: revisionFor(set, ordinal, revisions) }];
  if (isTerminal(pod)) return isTerminating(pod) ? [] : [{ do: 'delete', pod, why: 'ended' }];
  return [{ do: 'mend', ordinal, pod }];
}

/**
 * The revision for a new pod: below the partition, and without a partition below the pods not yet updated, the current
 * one.
 */
function revisionFor(set: StatefulSet, ordinal: number, { current, update }: Revisions): ControllerRevision {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  const kept = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  const isKept = (type === 'RollingUpdate' || rollingUpdate !== undefined) && ordinal < startOrdinal(set) + kept;
  return isKept ? current : update;
}

/**
 * The highest surplus pod, but not while another one is unhealthy. The lowest unhealthy one may be deleted, or a set
 * could never be scaled down out of a failure.
 */
function removeNext(surplus: readonly Pod[], isUp: (pod: Pod) => boolean): readonly Step[] {
  const [next] = surplus;
  if (next === undefined || isTerminating(next)) return [];
  const mayGo = isUp(next) || next === surplus.findLast((pod) => !isUp(pod));
  return mayGo ? [{ do: 'delete', pod: next, why: 'surplus' }] : [];
}

function removeAll(surplus: readonly Pod[]): readonly Step[] {
  return surplus.filter((pod) => !isTerminating(pod)).map((pod) => ({ do: 'delete', pod, why: 'surplus' }));
}

/**
 * The rolling update, from the highest ordinal down to the partition: the first outdated pod is deleted once those
 * above it are available.
 */
function planUpdate(set: StatefulSet, places: readonly Place[], { update }: Revisions, now: Instant): readonly Step[] {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  if (type !== 'RollingUpdate') return [];
  for (const { pod } of places.slice(rollingUpdate?.partition ?? 0).toReversed()) {
    if (pod !== undefined && podRevision(pod) !== update.metadata.name && !isTerminating(pod)) {
      return [{ do: 'delete', pod, why: 'outdated' }];
    }
    if (pod === undefined || isTerminating(pod) || !isAvailable(pod, now, set.spec.minReadySeconds)) return [];
  }
  return [];
}
