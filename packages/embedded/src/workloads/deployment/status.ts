import { type Instant, SECOND } from '@karpenter-ts/runtime';
import { findCondition, withoutCondition } from '../conditions.ts';
import { omitEmpty } from '../object-status.ts';
import {
  type Deployment,
  type DeploymentStatus,
  instantOf,
  type ObjectCondition,
  type ReplicaSet,
  type ReplicaSetStatus,
  timestamp,
} from '@karpenter-ts/kubernetes';
import type { Revisions } from './revision.ts';
import { rolloutLimits } from './rollout-limits.ts';
import { wantedPods } from './scaling.ts';

type Conditions = readonly ObjectCondition[];
type Verdict = Pick<ObjectCondition, 'type' | 'status'> & { readonly reason: string; readonly message: string };

const NO_DEADLINE = 2 ** 31 - 1; // how an API without null says "none"

/** The counters, and whether enough pods are available. What a rollout adds to it is `rolloutStatus`. */
export function plainStatus(deployment: Deployment, revisions: Revisions, now: Instant): DeploymentStatus {
  const { metadata, spec, status } = deployment;
  const { current, old } = revisions;
  const sets = [...old, ...(current ? [current] : [])];
  const available = sum(sets, 'availableReplicas');
  const terminating = terminatingReplicas(sets);
  const isEnough = available >= spec.replicas - rolloutLimits(deployment).maxUnavailable;
  return omitEmpty<DeploymentStatus>(
    {
      observedGeneration: metadata.generation ?? 0,
      replicas: sum(sets, 'replicas'),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: sum(sets, 'readyReplicas'),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, wantedPods(sets) - available),
      ...(terminating !== undefined && { terminatingReplicas: terminating }),
      ...(status?.collisionCount !== undefined && { collisionCount: status.collisionCount }),
      conditions: withVerdict(status?.conditions, isEnough ? ENOUGH : NOT_ENOUGH, now),
    },
    ['terminatingReplicas', 'collisionCount'],
  );
}

const ENOUGH: Verdict = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const NOT_ENOUGH: Verdict = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

/** Like `plainStatus`, with the Progressing condition that `kubectl rollout status` waits for. */
export function rolloutStatus(deployment: Deployment, revisions: Revisions, now: Instant): DeploymentStatus {
  const status = plainStatus(deployment, revisions, now);
  const conditions = withFailure(withProgress(deployment, revisions.current, status, now), revisions);
  return omitEmpty({ ...status, conditions }, ['terminatingReplicas', 'collisionCount']);
}

function withProgress(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  status: DeploymentStatus,
  now: Instant,
): Conditions {
  const conditions = status.conditions ?? [];
  if (!hasDeadline(deployment)) return withoutCondition(conditions, 'Progressing');
  const before = findCondition(deployment.status?.conditions, 'Progressing');
  const { replicas = 0, updatedReplicas = 0 } = status;
  if (replicas === updatedReplicas && before?.reason === 'NewReplicaSetAvailable') return conditions; // nothing under way
  const subject = current ? `ReplicaSet "${current.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withVerdict(conditions, { ...PROGRESSING, reason: 'NewReplicaSetAvailable', message }, now);
  }
  if (isProgress(deployment.status ?? {}, status)) {
    // Keeps the condition as it is: its time is that of the last progress, from which the deadline counts.
    const next = verdict({ ...PROGRESSING, reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` }, now);
    const since = before?.status === 'True' ? before.lastTransitionTime : next.lastTransitionTime;
    return [...withoutCondition(conditions, 'Progressing'), { ...next, lastTransitionTime: since }];
  }
  if (isTimedOut(deployment, findCondition(conditions, 'Progressing'), now)) {
    const message = `${subject} has timed out progressing.`;
    const late = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message };
    return withVerdict(conditions, late, now);
  }
  return conditions;
}

const PROGRESSING = { type: 'Progressing', status: 'True' };

/** The rollout is complete: all pods have the current template and are available, and there are no others. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus | undefined): boolean {
  const counts = [status?.updatedReplicas ?? 0, status?.replicas ?? 0, status?.availableReplicas ?? 0];
  const isObserved = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isObserved && counts.every((count) => count === spec.replicas);
}

function isProgress(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const more = (name: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas'): boolean =>
    (after[name] ?? 0) > (before[name] ?? 0);
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return more('updatedReplicas') || more('readyReplicas') || more('availableReplicas') || old(after) < old(before);
}

function isTimedOut({ spec }: Deployment, condition: ObjectCondition | undefined, now: Instant): boolean {
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === 'ProgressDeadlineExceeded') return true;
  return (instantOf(condition.lastUpdateTime) ?? 0) + (spec.progressDeadlineSeconds ?? 0) * SECOND < now;
}

export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;
}

/**
 * Milliseconds until the progress deadline is exceeded; undefined if the rollout is complete, has exceeded it, or has
 * none.
 */
export function untilDeadline(deployment: Deployment, status: DeploymentStatus, now: Instant): number | undefined {
  const condition = findCondition(deployment.status?.conditions, 'Progressing');
  if (!hasDeadline(deployment) || condition === undefined) return undefined;
  if (isComplete(deployment, status) || condition.reason === 'ProgressDeadlineExceeded') return undefined;
  const deadline = (deployment.spec.progressDeadlineSeconds ?? 0) * SECOND;
  // A second more: times are kept in whole seconds.
  return Math.max(0, (instantOf(condition.lastUpdateTime) ?? 0) + deadline - now) + SECOND;
}

/** Copies the ReplicaSet's ReplicaFailure condition to the Deployment, where users look. */
function withFailure(conditions: Conditions, { current, old }: Revisions): Conditions {
  const failure = [current, ...old]
    .map((set) => findCondition(set?.status?.conditions, 'ReplicaFailure'))
    .find((condition) => condition !== undefined);
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  const { lastTransitionTime = '', ...rest } = failure;
  const known = findCondition(conditions, 'ReplicaFailure');
  if (known?.status === failure.status && known.reason === failure.reason) return conditions;
  return [
    ...withoutCondition(conditions, 'ReplicaFailure'),
    { ...rest, lastUpdateTime: lastTransitionTime, lastTransitionTime },
  ];
}

/** The conditions with this verdict. One that says the same already stays as it is, its message and times included. */
export function withVerdict(conditions: Conditions | undefined, next: Verdict, now: Instant): Conditions {
  const known = findCondition(conditions, next.type);
  if (known !== undefined && known.status === next.status && known.reason === next.reason) return conditions ?? [];
  const isSame = known?.status === next.status;
  const condition = { ...verdict(next, now), ...(isSame && { lastTransitionTime: known.lastTransitionTime }) };
  return [...withoutCondition(conditions, next.type), condition];
}

function verdict({ type, status, reason, message }: Verdict, now: Instant): ObjectCondition {
  return { type, status, lastUpdateTime: timestamp(now), lastTransitionTime: timestamp(now), reason, message };
}

function sum(sets: readonly ReplicaSet[], counter: 'replicas' | 'readyReplicas' | 'availableReplicas'): number {
  return sets.reduce((total, { status }) => total + (status?.[counter] ?? 0), 0);
}

/** Unknown as long as an observed ReplicaSet does not report it. */
function terminatingReplicas(sets: readonly ReplicaSet[]): number | undefined {
  const told = sets.map(({ status }): ReplicaSetStatus => status ?? { replicas: 0 });
  if (told.some((s) => s.terminatingReplicas === undefined && (s.observedGeneration ?? 0) > 0)) return undefined;
  return told.reduce((total, { terminatingReplicas: count = 0 }) => total + count, 0);
}
