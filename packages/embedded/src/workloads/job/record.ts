import { isDeepStrictEqual } from 'node:util';
import type { Instant } from '@karpenter-ts/runtime';
import { findCondition, withCondition } from '../conditions.ts';
import { omitEmpty } from '../object-status.ts';
import { type Job, type JobStatus, type ObjectCondition, type Pod, timestamp } from '@karpenter-ts/kubernetes';
import { formatIndexes, isIndexed } from './indexes.ts';
import type { Managed } from './pods.ts';
import { isFailed, isTracked, type Tally, uncountedOf } from './tally.ts';
import { isSuspended, type Verdict } from './verdict.ts';

/** The pods whose finalizer may be removed once the status below has been written. */
export function releasable(
  { job, pods }: Tally,
  verdict: Verdict | undefined,
  released: ReadonlySet<string>,
): readonly Pod[] {
  const isOver = job.metadata.deletionTimestamp !== undefined || verdict !== undefined;
  const hasEnded = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || isFailed(job, pod);
  return pods.filter((pod) => isTracked(pod, released) && (isOver || hasEnded(pod)));
}

/** The status before finalizers are removed: it lists the finished pods as uncounted, and the outcome of the Job. */
export function pendingStatus(
  tally: Tally,
  managed: Managed,
  {
    verdict,
    finished,
    now,
  }: { readonly verdict: Verdict | undefined; readonly finished: readonly Pod[]; readonly now: Instant },
): JobStatus {
  const { job } = tally;
  const known = uncountedOf(job.status);
  const succeeded = isIndexed(job) ? [] : uids(finished.filter((pod) => pod.status?.phase === 'Succeeded'));
  const failed = finished.filter(
    (pod) => pod.status?.phase !== 'Succeeded' && (isFailed(job, pod) || verdict?.end === 'Failed'),
  );
  return jobStatus({
    ...job.status,
    ...(!job.status?.startTime && !isSuspended(job) && { startTime: timestamp(now) }),
    active: managed.active,
    ready: managed.ready,
    terminating: managed.terminating,
    ...(isIndexed(job) && { succeeded: tally.succeeded, completedIndexes: formatIndexes(tally.doneIndexes) }),
    uncountedTerminatedPods: {
      succeeded: merged(known.succeeded, succeeded),
      failed: merged(known.failed, uids(failed)),
    },
    conditions: withInterim(job.status?.conditions ?? [], verdict, now),
  });
}

/**
 * The status after finalizers were removed: finished pods are in the counters, and the Job is finished if none is left.
 */
export function countedStatus(status: JobStatus, verdict: Verdict | undefined, now: Instant): JobStatus {
  const { succeeded, failed } = uncountedOf(status);
  const counted = {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length,
    failed: (status.failed ?? 0) + failed.length,
    uncountedTerminatedPods: {},
  };
  if (verdict === undefined || (status.terminating ?? 0) > 0) return jobStatus(counted);
  const { end: type, reason, message } = verdict;
  const conditions = withCondition(status.conditions, condition({ type, status: 'True', reason, message }, now));
  return jobStatus({ ...counted, conditions, ...(type === 'Complete' && { completionTime: timestamp(now) }) });
}

/** Suspending stops the active deadline, resuming restarts it. Undefined if nothing changes. */
export function suspension({ status, ...job }: Job, now: Instant): Partial<JobStatus> | undefined {
  const known = findCondition(status?.conditions, 'Suspended');
  if ((known?.status === 'True') === isSuspended(job)) return undefined;
  const next = isSuspended(job)
    ? { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  const conditions = withCondition(status?.conditions, condition(next, now));
  return { conditions, ...(!isSuspended(job) && { startTime: timestamp(now) }) };
}

export function isSameJobStatus(a: JobStatus | undefined, b: JobStatus): boolean {
  return isDeepStrictEqual(jobStatus(a ?? {}), jobStatus(b));
}

/** `ready`, `terminating` and the uncounted pods are written even when they are empty. */
function jobStatus({ ready = 0, terminating = 0, uncountedTerminatedPods = {}, ...status }: JobStatus): JobStatus {
  const uncounted = omitEmpty(uncountedTerminatedPods);
  return { ...omitEmpty(status), ready, terminating, uncountedTerminatedPods: uncounted };
}

/** Adds the interim condition (SuccessCriteriaMet or FailureTarget) that holds until all pods have finished. */
function withInterim(
  conditions: readonly ObjectCondition[],
  verdict: Verdict | undefined,
  now: Instant,
): readonly ObjectCondition[] {
  if (verdict === undefined) return conditions;
  const { end, reason, message } = verdict;
  const type = end === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  if (findCondition(conditions, type) !== undefined) return conditions;
  return [...conditions, condition({ type, status: 'True', reason, message }, now)];
}

function condition(next: Omit<ObjectCondition, 'lastProbeTime' | 'lastTransitionTime'>, now: Instant): ObjectCondition {
  return { ...next, lastProbeTime: timestamp(now), lastTransitionTime: timestamp(now) };
}

function uids(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.uid ?? '');
}

function merged(known: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...known, ...more])];
}
