import { isDeepStrictEqual } from 'node:util';
import {
  instantOf,
  labelSelectorFrom,
  matchesLabels,
  memberOf,
  objectKey,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  PODS,
  timestamp,
} from '@karpenter-ts/kubernetes';
import {
  type Controller,
  DONE,
  type EventRecorder,
  type Instant,
  isConflict,
  kindSource,
  MILLISECOND,
  MINUTE,
  type Result,
  unlessGone,
} from '@karpenter-ts/runtime';
import type { ApiResources } from '../api-resources.ts';
import { findCondition, withCondition } from '../conditions.ts';
import { selectPods } from '../pod-selection.ts';
import { isTerminating, isReady } from '../pod-state.ts';
import { readSource } from '../read-source.ts';
import { subjectOf, type WorkloadDeps } from '../workload-deps.ts';
import { type Expected, expectPods } from './expected-pods.ts';

/** A granted eviction without a deletion after this time no longer counts. */
const DELETION_TIMEOUT = 2 * MINUTE;

interface BudgetDeps extends WorkloadDeps {
  readonly events: EventRecorder;
  readonly resources: ApiResources;
}

/**
 * The disruption controller: computes how many pods may be evicted. The API server subtracts from that number with each
 * eviction.
 */
export function disruptionBudgetController(workloadDeps: WorkloadDeps, resources: ApiResources): Controller {
  const deps: BudgetDeps = { ...workloadDeps, resources, events: workloadDeps.recorder('controllermanager') };
  const { caches } = deps;
  return {
    name: 'disruption',
    kind: { group: 'policy', kind: 'PodDisruptionBudget' },
    sources: [
      kindSource(caches.disruptionBudgets),
      kindSource(caches.pods, { keys: (pod) => budgetsOf(deps, pod) }),
      // Sizes matter where a share is asked for; every pod of the new size brings a change of its own.
      readSource(caches.replicaSets),
      readSource(caches.deployments),
      readSource(caches.statefulSets),
    ],
    reconcile: async (key) => {
      const budget = caches.disruptionBudgets.get(key);
      return budget === undefined ? DONE : sync(deps, budget);
    },
  };
}

function budgetsOf({ caches }: WorkloadDeps, { metadata }: Pod): readonly string[] {
  const budgets = caches.disruptionBudgets.byIndex('namespace', metadata.namespace ?? '');
  const selecting = budgets.filter(({ spec }) => matchesLabels(labelSelectorFrom(spec.selector), metadata.labels));
  return selecting.map((budget) => objectKey(budget.metadata));
}

async function sync(deps: BudgetDeps, budget: PodDisruptionBudget): Promise<Result> {
  const now = deps.clock.now();
  const pods = selectPods(deps.caches.pods, budget.metadata.namespace ?? '', budget.spec.selector);
  if (pods.length === 0) publish(deps, budget, 'Normal', 'NoPods', 'No matching pods found');
  try {
    const expected = await expectPods(deps, budget, pods);
    if (expected.unmanaged.length > 0) publish(deps, budget, 'Warning', 'UnmanagedPods', unmanagedMessage(budget));
    const disrupted = stillDisrupted(deps, budget, pods, now);
    await writeStatus(deps, budget, nextStatus(budget, pods, expected, { disrupted, now }));
    const times = Object.values(disrupted).map((at) => (instantOf(at) ?? 0) + DELETION_TIMEOUT - now);
    // The entry still counts at the exact instant of its expiry: a virtual clock would stand still there.
    return times.length === 0 ? DONE : { requeueAfter: times.reduce((a, b) => Math.min(a, b)) + 1 * MILLISECOND };
  } catch (error) {
    if (isConflict(error)) throw error;
    await failSafe(deps, budget, error as Error);
    return DONE;
  }
}

function unmanagedMessage({ spec }: PodDisruptionBudget): string {
  const labels = Object.entries(spec.selector?.matchLabels ?? {}).map(([label, value]) => `${label}: ${value},`);
  const selector = `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{},}`;
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the ` +
    'status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these ' +
    'pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

/** Granted evictions whose deletion has not been seen. Expired ones are dropped. */
function stillDisrupted(
  { events }: BudgetDeps,
  { metadata, status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: Instant,
): Readonly<Record<string, string>> {
  const disrupted: Record<string, string> = {};
  for (const pod of pods) {
    const at = memberOf(status?.disruptedPods, pod.metadata.name);
    if (at === undefined || isTerminating(pod)) continue;
    if ((instantOf(at) ?? 0) + DELETION_TIMEOUT >= now) disrupted[pod.metadata.name] = at;
    else {
      const message = `Pod was expected by PDB ${metadata.namespace}/${metadata.namespace} to be deleted but it wasn't`;
      events.publish({ on: subjectOf(pod, PODS), type: 'Warning', reason: 'NotDeleted', message });
    }
  }
  return disrupted;
}

function nextStatus(
  { metadata, status }: PodDisruptionBudget,
  pods: readonly Pod[],
  { expectedPods, desiredHealthy }: Expected,
  { disrupted, now }: { readonly disrupted: Readonly<Record<string, string>>; readonly now: Instant },
): PodDisruptionBudgetStatus {
  const isHealthy = (pod: Pod): boolean =>
    !isTerminating(pod) && isReady(pod) && memberOf(disrupted, pod.metadata.name) === undefined;
  const currentHealthy = pods.filter(isHealthy).length;
  // Without pods no disruption is allowed, so that the first pods do not meet an outdated budget.
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = metadata.generation ?? 0;
  const isAllowed = disruptionsAllowed > 0;
  return {
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    observedGeneration,
    ...(Object.keys(disrupted).length > 0 && { disruptedPods: disrupted }),
    conditions: withAllowed(
      status,
      { isAllowed, reason: isAllowed ? 'SufficientPods' : 'InsufficientPods' },
      now,
      observedGeneration,
    ),
  };
}

function withAllowed(
  status: PodDisruptionBudgetStatus | undefined,
  {
    isAllowed,
    reason,
    message = '',
  }: { readonly isAllowed: boolean; readonly reason: string; readonly message?: string },
  now: Instant,
  observedGeneration: number,
): NonNullable<PodDisruptionBudgetStatus['conditions']> {
  const type = 'DisruptionAllowed';
  const known = findCondition(status?.conditions, type);
  const verdict = isAllowed ? 'True' : 'False';
  const lastTransitionTime = known?.status === verdict ? known.lastTransitionTime : timestamp(now);
  const next = { type, status: verdict, observedGeneration, lastTransitionTime, reason, message };
  return withCondition(status?.conditions, next);
}

async function writeStatus(
  { client }: WorkloadDeps,
  budget: PodDisruptionBudget,
  status: PodDisruptionBudgetStatus,
): Promise<void> {
  if (isDeepStrictEqual(budget.status, status)) return;
  await unlessGone(client.update(POD_DISRUPTION_BUDGETS, { ...budget, status }, { subresource: 'status' }));
}

/** If the expected number of pods cannot be computed, no disruption is allowed. */
async function failSafe(deps: BudgetDeps, budget: PodDisruptionBudget, error: Error): Promise<void> {
  const message = `Failed to calculate the number of expected pods: ${error.message}`;
  publish(deps, budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
  const { status } = budget;
  const generation = status?.observedGeneration ?? 0;
  const verdict = { isAllowed: false, reason: 'SyncFailed', message: error.message };
  const conditions = withAllowed(status, verdict, deps.clock.now(), generation);
  const none = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  await writeStatus(deps, budget, { ...none, ...status, disruptionsAllowed: 0, conditions });
}

function publish(
  { events }: BudgetDeps,
  budget: PodDisruptionBudget,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  events.publish({ on: subjectOf(budget, POD_DISRUPTION_BUDGETS), type, reason, message });
}
