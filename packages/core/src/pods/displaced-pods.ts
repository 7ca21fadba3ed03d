import { readDoNotDisrupt } from '@karpenter-ts/apis';
import {
  type LabelSelector,
  labelSelectorFrom,
  matchesLabels,
  type Pod,
  type PodDisruptionBudget,
} from '@karpenter-ts/kubernetes';
import type { Clock, EventDraft } from '@karpenter-ts/runtime';
import type { Caches } from '../state/caches.ts';
import type { StateNode } from '../state/state-node.ts';
import { isFullyBlocking, permitsUnhealthy } from '../kinds/disruption-budget.ts';
import { findEvictionObstacle, isDisruptable, isReschedulable } from './predicates.ts';
import { podsOn } from '../state/node-nodeclaim-links.ts';
import { findProtectionEvent } from './do-not-disrupt.ts';
import type { TimeSlices } from '../state/time-slices.ts';

/** What finding displaced pods depends on. */
export interface DisplacementDeps {
  readonly caches: Pick<Caches, 'pods' | 'disruptionBudgets'>;
  readonly clock: Clock;
}

/** The displaced pods, and the events to publish about them. */
export interface DisplacedPods {
  readonly pods: readonly Pod[];
  readonly events: readonly EventDraft[];
}

/**
 * Pods that need another node because theirs is deleting (spec 02 §4.3). A pod that may not be evicted is left out:
 * nobody knows when it will go, and capacity that waits for it is wasted.
 */
export async function findDisplacedPods(
  deleting: readonly StateNode[],
  { caches, clock }: DisplacementDeps,
  slices: TimeSlices,
): Promise<DisplacedPods> {
  const now = clock.now();
  const budgets = new BudgetBook(caches);
  const pods: Pod[] = [];
  const events: EventDraft[] = [];
  for (const { node } of deleting) {
    if (slices.isOver) await slices.pause();
    for (const pod of podsOn(node?.metadata.name ?? '', caches)) {
      if (slices.isOver) await slices.pause();
      if (!isReschedulable(pod)) continue;
      const doNotDisrupt = readDoNotDisrupt(pod, now);
      const event = findProtectionEvent(pod, doNotDisrupt);
      if (event !== undefined) events.push(event);
      if (!isDisruptable(pod, doNotDisrupt)) continue;
      if (findEvictionObstacle(pod, doNotDisrupt) === undefined && budgets.block(pod)) continue;
      pods.push(pod);
    }
  }
  return { pods, events };
}

interface Budget {
  readonly selector: LabelSelector;
  readonly budget: PodDisruptionBudget;
}

/** Labels of a pod. The cache stores equal label maps once, so the object can be used as a key. */
type Labels = Pod['metadata']['labels'];

/** The PodDisruptionBudgets of a namespace. */
interface NamespaceBudgets {
  /**
   * Budgets that select by the value of a label, under one such label and value. They cannot select pods without it.
   */
  readonly byLabel: ReadonlyMap<string, readonly Budget[]>;
  /** All other budgets. */
  readonly others: readonly Budget[];
  /** The budgets that select pods with certain labels, as far as they were asked for. */
  readonly selecting: Map<Labels, readonly Budget[]>;
}

/**
 * PodDisruptionBudgets by namespace. Each selector is parsed once, and compared once with each shared label map, and
 * only where the pod has one of the selector's labels: pods of a StatefulSet share theirs with no other pod.
 */
class BudgetBook {
  readonly #caches: Pick<Caches, 'disruptionBudgets'>;
  readonly #byNamespace = new Map<string, NamespaceBudgets>();

  constructor(caches: Pick<Caches, 'disruptionBudgets'>) {
    this.#caches = caches;
  }

  /** Whether an eviction of this pod can never be granted. The eviction API refuses pods with more than one budget. */
  block({ metadata, status }: Pod): boolean {
    const matching = this.#selecting(metadata.namespace ?? '', metadata.labels);
    if (matching.length > 1) return true;
    const [only] = matching;
    if (only === undefined) return false;
    const isUnhealthy = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'False');
    return isFullyBlocking(only.budget) && !(isUnhealthy === true && permitsUnhealthy(only.budget));
  }

  #selecting(namespace: string, labels: Labels): readonly Budget[] {
    const { byLabel, others, selecting } = this.#of(namespace);
    let found = selecting.get(labels);
    if (found === undefined) {
      const labelled = Object.entries(labels ?? {}).flatMap((label) => byLabel.get(labelKey(label)) ?? []);
      found = [...labelled, ...others].filter(({ selector }) => matchesLabels(selector, labels));
      selecting.set(labels, found);
    }
    return found;
  }

  #of(namespace: string): NamespaceBudgets {
    let budgets = this.#byNamespace.get(namespace);
    if (budgets === undefined) {
      const found = this.#caches.disruptionBudgets.byIndex('namespace', namespace);
      budgets = sorted(found.map((budget) => ({ selector: labelSelectorFrom(budget.spec.selector), budget })));
      this.#byNamespace.set(namespace, budgets);
    }
    return budgets;
  }
}

function sorted(budgets: readonly Budget[]): NamespaceBudgets {
  const byLabel = new Map<string, Budget[]>();
  const others: Budget[] = [];
  for (const budget of budgets) {
    const label = findLabel(budget.selector);
    if (label === undefined) {
      others.push(budget);
      continue;
    }
    const key = labelKey(label);
    const same = byLabel.get(key);
    if (same === undefined) byLabel.set(key, [budget]);
    else same.push(budget);
  }
  return { byLabel, others, selecting: new Map() };
}

/** A label and value that all selected pods have; undefined if the selector names none. */
function findLabel(selector: LabelSelector): readonly [key: string, value: string] | undefined {
  if (selector.kind === 'nothing') return undefined;
  const { key, values } = selector.requirements.find(({ operator }) => operator === '=') ?? {};
  return key === undefined || values === undefined ? undefined : [key, values[0] ?? ''];
}

/** A label key never contains this character. */
function labelKey([key, value]: readonly [key: string, value: string]): string {
  return `${key}=${value}`;
}
