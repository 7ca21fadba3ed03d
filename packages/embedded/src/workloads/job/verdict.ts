import { type Instant, SECOND } from '@karpenter-ts/runtime';
import { findCondition } from '../conditions.ts';
import { instantOf, type Job, type Pod } from '@karpenter-ts/kubernetes';
import type { Tally } from './tally.ts';

/** How a Job ends, and why. */
export interface Verdict {
  readonly end: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

const COMPLETE: Verdict = {
  end: 'Complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};
const TOO_MANY_FAILURES: Verdict = {
  end: 'Failed',
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
};
const TOO_LATE: Verdict = {
  end: 'Failed',
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
};

export function isFinished({ status }: Job): boolean {
  return ['Complete', 'Failed'].some((type) => findCondition(status?.conditions, type)?.status === 'True');
}

export function isSuspended({ spec }: Job): boolean {
  return spec.suspend ?? false;
}

/** The outcome that an earlier reconcile decided, or failure; undefined while the Job may still succeed. */
export function findVerdict({ job, pods, failed }: Tally, now: Instant): Verdict | undefined {
  return (
    decided(job, 'SuccessCriteriaMet', 'Complete') ??
    decided(job, 'FailureTarget', 'Failed') ??
    (failed > (job.spec.backoffLimit ?? 6) || isPastRestarts(job, pods) ? TOO_MANY_FAILURES : undefined) ??
    (untilDeadline(job, now) === 0 ? TOO_LATE : undefined)
  );
}

function decided({ status }: Job, type: string, end: Verdict['end']): Verdict | undefined {
  const condition = findCondition(status?.conditions, type);
  if (condition?.status !== 'True') return undefined;
  const { reason = '', message = '' } = condition;
  return { end, reason, message };
}

/** Success, if nothing is left to do. Without completions one success is enough. */
export function findSuccess({ job, succeeded }: Tally, active: number): Verdict | undefined {
  const { completions } = job.spec;
  const isEnough = completions === undefined ? succeeded > 0 : succeeded >= completions;
  return isEnough && active === 0 ? COMPLETE : undefined;
}

/** Pods that restart their containers do not fail: their restarts are counted instead. */
function isPastRestarts({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const limit = spec.backoffLimit ?? 6;
  const restarts = pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Milliseconds the Job may still be active; undefined without a limit. */
export function untilDeadline(job: Job, now: Instant): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  const started = instantOf(job.status?.startTime);
  if (activeDeadlineSeconds === undefined || started === undefined || isSuspended(job)) return undefined;
  return Math.max(0, started + activeDeadlineSeconds * SECOND - now);
}
