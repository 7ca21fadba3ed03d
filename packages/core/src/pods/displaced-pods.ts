import { DISRUPTED_TAINT, isProtecting, readDoNotDisrupt } from '@karpenter-ts/apis';
import { type LabelSelector, labelSelectorFrom, matchesLabels } from '@karpenter-ts/kubernetes';
import type { Clock, EventDraft } from '@karpenter-ts/runtime';
import { findUntolerated } from '@karpenter-ts/scheduling';
import type { Caches } from '../state/caches.ts';
import type { StateNode } from '../state/state-node.ts';
import { isFullyBlocking, type PodDisruptionBudget, permitsUnhealthy } from '../kinds/disruption-budget.ts';
import { isActive, isMirrorPod, isReschedulable, type Pod } from '../kinds/pod.ts';
import { podsOn } from '../state/node-nodeclaim-links.ts';
import { findProtectionEvent } from './do-not-disrupt.ts';
import type { TimeSlices } from '../state/time-slices.ts';

/** What is read to tell who is displaced. */
export interface DisplacementDeps {
  readonly caches: Pick<Caches, 'pods' | 'disruptionBudgets'>;
  readonly clock: Clock;
}

/** Pods of leaving nodes, and what their owners should know. */
export interface DisplacedPods {
  readonly pods: readonly Pod[];
  readonly events: readonly EventDraft[];
}

/**
 * The pods that will need another place when these nodes are gone (spec 02 §4.3). One that may not be evicted stays out:
 * nobody knows when it will go, and room that waits for it is wasted.
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
      const verdict = readDoNotDisrupt(pod, now);
      const event = findProtectionEvent(pod, verdict);
      if (event !== undefined) events.push(event);
      if (isActive(pod) && (isProtecting(verdict) || (canBeEvicted(pod) && budgets.block(pod)))) continue;
      pods.push(pod);
    }
  }
  return { pods, events };
}

/** Whether an eviction is what removes an active, unprotected pod from a node that leaves. */
function canBeEvicted(pod: Pod): boolean {
  return !isMirrorPod(pod) && findUntolerated([DISRUPTED_TAINT], pod.spec.tolerations ?? []).length > 0;
}

interface Budget {
  readonly selector: LabelSelector;
  readonly budget: PodDisruptionBudget;
}

/** Labels of a pod: the cache keeps equal ones once, so that the object stands for what it holds. */
type Labels = Pod['metadata']['labels'];

/** The budgets of a namespace. */
interface NamespaceBudgets {
  /** Those that select by the value of a label, under one such label and value; pods without it are not selected. */
  readonly byLabel: ReadonlyMap<string, readonly Budget[]>;
  /** Those that do not. */
  readonly others: readonly Budget[];
  /** The ones that select pods with certain labels, as far as that was asked. */
  readonly selecting: Map<Labels, readonly Budget[]>;
}

/**
 * The disruption budgets by namespace. Each selector is read once, and compared once with the labels pods share: and only
 * where they have its label, since pods of a StatefulSet share theirs with no other.
 */
class BudgetBook {
  readonly #caches: Pick<Caches, 'disruptionBudgets'>;
  readonly #byNamespace = new Map<string, NamespaceBudgets>();

  constructor(caches: Pick<Caches, 'disruptionBudgets'>) {
    this.#caches = caches;
  }

  /** Whether no eviction of this pod can ever be granted. Eviction knows no more than one budget for a pod. */
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

/** A label that all selected pods have, with its value; undefined if the selector names none. */
function findLabel(selector: LabelSelector): readonly [key: string, value: string] | undefined {
  if (selector.kind === 'nothing') return undefined;
  const { key, values } = selector.requirements.find(({ operator }) => operator === '=') ?? {};
  return key === undefined || values === undefined ? undefined : [key, values[0] ?? ''];
}

/** No key of a label holds the sign. */
function labelKey([key, value]: readonly [key: string, value: string]): string {
  return `${key}=${value}`;
}
