import type { Job, JobStatus, Pod } from '@karpenter-ts/kubernetes';
import { isActive, isTerminating, isReady, isTerminal } from '../pod-state.ts';
import { indexOf, isIndexed, parseIndexes } from './indexes.ts';

/** The finalizer that keeps a pod until the Job has counted it. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';

/** A Job with its pods, by state. */
export interface Tally {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** All pods that have succeeded so far; for an indexed Job the number of completed indexes. */
  readonly succeeded: number;
  readonly failed: number;
  /** Ended, and in no counter yet. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** Of an indexed Job: those done, the newest included. */
  readonly doneIndexes: ReadonlySet<number>;
}

/** Counts a Job's pods. `released` are pods whose finalizer was removed earlier, whatever the cache says. */
export function tally(job: Job, pods: readonly Pod[], released: ReadonlySet<string>): Tally {
  const uncounted = uncountedOf(job.status);
  const isNew = (pod: Pod): boolean =>
    isTracked(pod, released) &&
    !uncounted.succeeded.includes(pod.metadata.uid ?? '') &&
    !uncounted.failed.includes(pod.metadata.uid ?? '') &&
    (!isIndexed(job) || indexOf(job, pod) !== undefined);
  const newlySucceeded = pods.filter((pod) => pod.status?.phase === 'Succeeded' && isNew(pod));
  const newlyFailed = pods.filter((pod) => isFailed(job, pod) && isNew(pod));
  const active = pods.filter(isActive);
  const doneIndexes = isIndexed(job) ? indexesDone(job, newlySucceeded) : new Set<number>();
  return {
    job,
    pods,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isTerminal(pod)).length,
    succeeded: isIndexed(job)
      ? doneIndexes.size
      : (job.status?.succeeded ?? 0) + uncounted.succeeded.length + newlySucceeded.length,
    failed: (job.status?.failed ?? 0) + uncounted.failed.length + newlyFailed.length,
    newlySucceeded,
    newlyFailed,
    doneIndexes,
  };
}

function indexesDone(job: Job, newlySucceeded: readonly Pod[]): ReadonlySet<number> {
  const done = new Set(parseIndexes(job));
  for (const pod of newlySucceeded) done.add(indexOf(job, pod) as number);
  return done;
}

export function uncountedOf(status: JobStatus | undefined): {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
} {
  const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
  return { succeeded, failed };
}

/** Whether the pod still has the finalizer. */
export function isTracked({ metadata }: Pod, released: ReadonlySet<string>): boolean {
  return (metadata.finalizers ?? []).includes(TRACKING) && !released.has(metadata.uid ?? '');
}

/** A pod that is being deleted counts as failed at once, unless podReplacementPolicy waits for its end. */
export function isFailed(job: Job, pod: Pod): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return !replacesOnlyFailed(job) && isTerminating(pod) && pod.status?.phase !== 'Succeeded';
}

export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed';
}
