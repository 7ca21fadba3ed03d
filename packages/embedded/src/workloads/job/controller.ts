import {
  type Controller,
  DONE,
  type EventRecorder,
  kindSource,
  type Result,
  SECOND,
  MINUTE,
} from '@karpenter-ts/runtime';
import { Expectations } from '../expectations.ts';
import { type Job, JOBS, type JobStatus, type Pod, PODS } from '@karpenter-ts/kubernetes';
import { candidatesFor, claimObjects } from '../ownership.ts';
import { podSource } from '../pod-source.ts';
import { isReady } from '../pod-state.ts';
import { PodWriter } from '../pod-writer.ts';
import { forAll } from '../slow-start.ts';
import { SupersededVersions } from '../superseded-versions.ts';
import { subjectOf, type WorkloadDeps } from '../workload-deps.ts';
import { countFailures, type Failures, NO_FAILURES, untilRetry } from './back-off.ts';
import { type Managed, managePods, planPods, release } from './pods.ts';
import { countedStatus, isSameJobStatus, pendingStatus, releasable, suspension } from './record.ts';
import { isTracked, type Tally, tally, TRACKING } from './tally.ts';
import { findSuccess, findVerdict, isFinished, untilDeadline, type Verdict } from './verdict.ts';

/** The value of managedBy for Jobs of this controller; Jobs managed by others are ignored. */
const MANAGER = 'kubernetes.io/job-controller';

interface JobDeps extends WorkloadDeps {
  readonly events: EventRecorder;
  readonly expectations: Expectations;
  readonly writer: PodWriter;
  readonly superseded: SupersededVersions;
  /** By key of the Job. */
  readonly failures: Map<string, Failures>;
  /** Uids of pods whose finalizer was removed, but which the cache may still show with it, by key of the Job. */
  readonly released: Map<string, Set<string>>;
}

/**
 * The Job controller: runs pods until enough have succeeded or too many have failed. Pod failure policies, success
 * policies and limits per index are not implemented.
 */
export function jobController(workloadDeps: WorkloadDeps): Controller {
  const { client, clock, caches } = workloadDeps;
  const expectations = new Expectations(clock);
  const events = workloadDeps.recorder('job-controller');
  const deps: JobDeps = {
    ...workloadDeps,
    events,
    expectations,
    writer: new PodWriter({ client, events, expectations, type: JOBS }),
    superseded: new SupersededVersions(),
    failures: new Map(),
    released: new Map(),
  };
  return {
    name: 'job',
    kind: { group: 'batch', kind: 'Job' },
    concurrency: 5,
    retries: { backOff: { base: 1 * SECOND, cap: 1 * MINUTE } },
    sources: [kindSource(caches.jobs), podSource({ pods: caches.pods, sets: caches.jobs, expectations })],
    reconcile: async (key) => {
      const job = caches.jobs.get(key);
      if (job === undefined || isFinished(job)) return forget(deps, key);
      if ((job.spec.managedBy ?? MANAGER) !== MANAGER || deps.superseded.includes(key, job)) return DONE;
      return sync(deps, key, job);
    },
  };
}

function forget({ expectations, failures, released, superseded }: JobDeps, key: string): Result {
  expectations.forget(key);
  superseded.forget(key);
  failures.delete(key);
  released.delete(key);
  return DONE;
}

async function sync(deps: JobDeps, key: string, job: Job): Promise<Result> {
  const { clock } = deps;
  const now = clock.now();
  const isCacheCurrent = deps.expectations.areMet(key);
  const pods = await claimPods(deps, job);
  const counted = tally(job, pods, stillReleased(deps, key, pods));
  const failures = countFailures(deps.failures.get(key) ?? NO_FAILURES, counted.newlySucceeded, counted.newlyFailed);
  const failed = findVerdict(counted, now);
  const managed =
    failed === undefined ? await manage(deps, counted, { isCacheCurrent, failures }) : await stop(deps, counted);
  const verdict = failed === undefined ? findSuccess(counted, managed.active) : isCacheCurrent ? failed : undefined;
  await record(deps, key, counted, managed, { verdict, isManaged: failed === undefined && isCacheCurrent });
  deps.failures.set(key, failures);
  const waits = [managed.wait, untilDeadline(job, now)].filter((wait) => wait !== undefined && wait > 0);
  return waits.length === 0 ? DONE : { requeueAfter: Math.min(...(waits as number[])) };
}

function claimPods({ client, caches }: WorkloadDeps, owner: Job): Promise<readonly Pod[]> {
  const candidates = candidatesFor(caches.pods, owner);
  return claimObjects({ client, owner, ownerType: JOBS, type: PODS, candidates, finalizers: [TRACKING] });
}

/** Drops those that the cache shows without the finalizer, or not at all. */
function stillReleased({ released }: JobDeps, key: string, pods: readonly Pod[]): ReadonlySet<string> {
  const known = released.get(key) ?? new Set<string>();
  const held = new Set(pods.filter((pod) => isTracked(pod, new Set())).map(({ metadata }) => metadata.uid ?? ''));
  for (const uid of known) if (!held.has(uid)) known.delete(uid);
  return known;
}

async function manage(
  deps: JobDeps,
  counted: Tally,
  { isCacheCurrent, failures }: { readonly isCacheCurrent: boolean; readonly failures: Failures },
): Promise<Managed> {
  const { active, ready, terminating, job } = counted;
  const unchanged = { active: active.length, ready, terminating };
  if (!isCacheCurrent || job.metadata.deletionTimestamp !== undefined) return unchanged;
  const plan = planPods(counted);
  const wait = 'create' in plan && plan.create > 0 ? untilRetry(failures, deps.clock.now()) : 0;
  return wait > 0 ? { ...unchanged, wait } : managePods(deps, counted, plan);
}

/** The Job has failed: active pods are deleted. Their finalizers stay until they are counted. */
async function stop({ writer }: JobDeps, { job, active, ready, terminating }: Tally): Promise<Managed> {
  await writer.delete(job, active);
  return { active: 0, ready: ready - active.filter(isReady).length, terminating: terminating + active.length };
}

/**
 * Tracks finished pods in three steps: writes them to `uncountedTerminatedPods`, removes their finalizers, then adds
 * them to the counters. A crash in between counts no pod twice and loses none.
 */
async function record(
  deps: JobDeps,
  key: string,
  counted: Tally,
  managed: Managed,
  { verdict, isManaged }: { readonly verdict: Verdict | undefined; readonly isManaged: boolean },
): Promise<void> {
  const { job } = counted;
  const now = deps.clock.now();
  const released = deps.released.get(key) ?? new Set<string>();
  const finished = releasable(counted, verdict, released);
  const pending = pendingStatus(counted, managed, { verdict, finished, now });
  const suspended = isManaged && verdict === undefined ? suspension(job, now) : undefined;
  const written = await writeStatus(deps, key, job, { ...pending, ...suspended });
  if (suspended?.conditions !== undefined) publishSuspension(deps, job);
  await forAll(finished, async (pod) => {
    await release(deps.client, pod);
    released.add(pod.metadata.uid ?? '');
  });
  deps.released.set(key, released);
  const status = countedStatus(written.status ?? {}, verdict, now);
  const final = await writeStatus(deps, key, written, status);
  if (verdict !== undefined && isFinished(final)) publishEnd(deps, job, verdict);
}

async function writeStatus({ client, superseded }: JobDeps, key: string, job: Job, status: JobStatus): Promise<Job> {
  if (isSameJobStatus(job.status, status)) return job;
  const written = await client.update<Job>(JOBS, { ...job, status }, { subresource: 'status' });
  if (written.metadata.resourceVersion !== job.metadata.resourceVersion) superseded.mark(key, job);
  return written;
}

function publishEnd({ events }: JobDeps, job: Job, { end, reason, message }: Verdict): void {
  const on = subjectOf(job, JOBS);
  if (end === 'Failed') events.publish({ on, type: 'Warning', reason, message });
  else events.publish({ on, type: 'Normal', reason: 'Completed', message: 'Job completed' });
}

function publishSuspension({ events }: JobDeps, job: Job): void {
  const [reason, message] = job.spec.suspend ? ['Suspended', 'Job suspended'] : ['Resumed', 'Job resumed'];
  events.publish({ on: subjectOf(job, JOBS), type: 'Normal', reason, message });
}
