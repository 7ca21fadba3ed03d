import {
  type JsonObject,
  LabelSelectorError,
  labelSelectorFrom,
  type LabelSelectorSpec,
  matchesLabels,
  timestamp,
} from '@karpenter-ts/kubernetes';
import { setPodCondition } from '../kinds/behaviour/pod-conditions.ts';
import { type KubeObject, listAt, objectAt, textAt } from '../object.ts';
import { ApiError, badRequest, forbidden, notFound } from '../status.ts';
import { keyOf } from '../storage/objects.ts';
import type { Strategy } from '../strategy.ts';
import { checkNamespace, type Write, type WriteContext } from './create.ts';
import { checkPreconditions, remove } from './delete.ts';
import type { DeleteOptions } from './options.ts';

const BUDGETS = 'policy/poddisruptionbudgets';
const BUDGET = { group: 'policy', plural: 'poddisruptionbudget' };
const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";
const MAX_DISRUPTED_PODS = 2000;

/** An order to evict a pod; `budgets` is the strategy by which budgets are written. */
export interface Eviction extends Write {
  readonly name: string;
  readonly budgets: Strategy;
  readonly options: DeleteOptions;
}

/** Deletes a pod if its disruption budget allows it, and decrements the budget. Throws an ApiError. */
export function evict(context: WriteContext, eviction: Eviction, sent: KubeObject): void {
  const { strategy, name, namespace } = eviction;
  checkNamespace(sent.metadata, eviction);
  if (sent.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
  const pod = context.objects.get(strategy, keyOf(name, namespace));
  if (pod === undefined) throw notFound(strategy.resource, name);
  if (!needsNoBudget(pod)) claimBudget(context, eviction, pod);
  deleteEvicted(context, eviction, pod);
}

/** Pods that have ended, are not bound or are terminating can be evicted without a budget. */
function needsNoBudget(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || Boolean(pod.metadata.deletionTimestamp);
}

function claimBudget(context: WriteContext, eviction: Eviction, pod: KubeObject): void {
  const [budget, ...others] = context.objects.list(BUDGETS, eviction.namespace).filter((one) => covers(one, pod));
  if (budget === undefined) return;
  if (others.length > 0) {
    const why = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new ApiError(500, '', why); // clients know it by this code
  }
  if (!isReady(pod) && mayGoUnready(budget)) return;
  const status = claimed(budget, eviction.name, timestamp(context.clock.now()));
  if (!eviction.options.dryRun) context.objects.put(eviction.budgets, { ...budget, status });
}

function covers(budget: KubeObject, pod: KubeObject): boolean {
  try {
    const selector = labelSelectorFrom(objectAt(budget, 'spec')['selector'] as LabelSelectorSpec | undefined);
    return matchesLabels(selector, pod.metadata.labels);
  } catch (error) {
    if (error instanceof LabelSelectorError) return false;
    throw error;
  }
}

function isReady(pod: KubeObject): boolean {
  return listAt(pod, 'status', 'conditions').some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** A pod that is not ready does not count as healthy. If the budget is met without it, its eviction is allowed. */
function mayGoUnready(budget: KubeObject): boolean {
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const { currentHealthy, desiredHealthy } = countsOf(budget);
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

interface Counts {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly disruptionsAllowed: number;
  readonly observedGeneration: number;
}

function countsOf(budget: KubeObject): Counts {
  const none = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, observedGeneration: 0 };
  return { ...none, ...(objectAt(budget, 'status') as Partial<Counts>) };
}

/** Decrements the budget's disruptionsAllowed, and records the pod until the controller has counted again. */
function claimed(budget: KubeObject, pod: string, now: string): JsonObject {
  const { name, generation = 0 } = budget.metadata;
  const status = objectAt(budget, 'status');
  const { disruptionsAllowed, observedGeneration } = countsOf(budget);
  const disruptedPods = objectAt(status, 'disruptedPods');
  if (observedGeneration < generation) {
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (disruptionsAllowed < 0) throw forbidden(BUDGET, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    throw forbidden(BUDGET, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (disruptionsAllowed === 0) throw tooManyRequests(refusalOf(budget));
  const next = {
    ...status,
    disruptionsAllowed: disruptionsAllowed - 1,
    disruptedPods: { ...disruptedPods, [pod]: now },
  };
  return disruptionsAllowed === 1 ? withExhausted(next, generation, now) : next;
}

function refusalOf(budget: KubeObject): string {
  const { name } = budget.metadata;
  const { currentHealthy, desiredHealthy } = countsOf(budget);
  const condition = listAt(budget, 'status', 'conditions').find(({ type }) => type === 'DisruptionAllowed') ?? {};
  const { status, reason, message } = condition as Readonly<Record<string, string>>;
  const isExplained = status === 'False' && Boolean(message);
  if (isExplained && reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const plain = `The disruption budget ${name} does not allow evicting pods currently`;
  return isExplained ? `${plain} (${reason}): ${message}` : plain;
}

function tooManyRequests(cause: string, retryAfterSeconds?: number): ApiError {
  const causes = [{ reason: 'DisruptionBudget', message: cause }];
  return new ApiError(429, 'TooManyRequests', VIOLATION, { causes, retryAfterSeconds });
}

/** Updates the DisruptionAllowed condition when the last disruption is used up. */
function withExhausted(status: JsonObject, observedGeneration: number, now: string): JsonObject {
  const conditions = listAt(status, 'conditions');
  const old = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const next: JsonObject = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration,
    lastTransitionTime: old?.['status'] === 'False' ? old['lastTransitionTime'] : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return { ...status, conditions: old ? conditions.map((one) => (one === old ? next : one)) : [...conditions, next] };
}

/** Adds the DisruptionTarget condition to the pod. */
function deleteEvicted(context: WriteContext, eviction: Eviction, pod: KubeObject): void {
  const { strategy, options } = eviction;
  checkPreconditions(pod, strategy, options);
  if (!options.dryRun) {
    const reason = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
    const condition = { type: 'DisruptionTarget', status: 'True', ...reason } as const;
    const status = setPodCondition(objectAt(pod, 'status'), condition, timestamp(context.clock.now()));
    context.objects.put(strategy, { ...pod, status });
  }
  const { resourceVersion: _, ...preconditions } = options.preconditions ?? {}; // checked, and by our own write outdated
  remove(context, eviction, { ...options, preconditions });
}
