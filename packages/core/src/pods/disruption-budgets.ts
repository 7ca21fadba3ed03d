import { isDeepStrictEqual } from 'node:util';
import type { DoNotDisrupt } from '@karpenter-ts/apis';
import {
  type LabelSelector,
  LabelSelectorError,
  labelSelectorFrom,
  matchesLabels,
  objectKey,
  type Pod,
  type PodDisruptionBudget,
} from '@karpenter-ts/kubernetes';
import type { Caches } from '../state/caches.ts';
import { findEvictionObstacle } from './predicates.ts';

/** Why the PodDisruptionBudgets of a pod keep it from being evicted, and which budgets do, by name. */
export interface BudgetBlock {
  readonly kind: BudgetBlockKind;
  readonly budgets: readonly PodDisruptionBudget[];
}

type BudgetBlockKind =
  /** The eviction API refuses pods with more than one budget, whatever these allow. */
  | 'MultipleBudgets'
  /** The only budget allows no disruption at the moment. */
  | 'NoDisruptionsAllowed'
  /** The only budget never allows a disruption. */
  | 'FullyBlocking'
  /** Nobody knows which pods of its namespace the budget selects (spec 04 §25-37). */
  | 'UnreadableSelector';

/**
 * All PodDisruptionBudgets, by the pods they select (spec 04 §4). It follows the cache by itself. The cost per pod
 * depends on the number of its labels and of its own budgets; only budgets whose selector is empty, or asks just for the
 * absence of labels or values, are compared with all pods of their namespace. Pods that share their labels are compared
 * once.
 *
 * A budget does not concern a pod that is not evictable: such a pod is never blocked.
 */
export class PodDisruptionBudgets {
  readonly #namespaces = new Map<string, NamespaceBudgets>();
  #revision = 0;

  constructor({ disruptionBudgets }: Pick<Caches, 'disruptionBudgets'>) {
    disruptionBudgets.addHandler({
      onAdd: (budget) => this.#put(budget),
      onUpdate: (_old, budget) => this.#put(budget),
      onDelete: (budget) => this.#remove(budget),
    });
  }

  /** Changes with every change of a budget that any answer may depend on. */
  get revision(): number {
    return this.#revision;
  }

  /** Why the pod could not be evicted now, for the choice of candidates. Undefined if it could. */
  findBlock(pod: Pod, doNotDisrupt: DoNotDisrupt): BudgetBlock | undefined {
    return this.#find(pod, doNotDisrupt, allowsNone, 'NoDisruptionsAllowed');
  }

  /**
   * Why the pod can never be evicted, whatever the state of its budgets' pods. Undefined if it merely may have to wait.
   */
  findFullBlock(pod: Pod, doNotDisrupt: DoNotDisrupt): BudgetBlock | undefined {
    return this.#find(pod, doNotDisrupt, isFullyBlocking, 'FullyBlocking');
  }

  #find(
    pod: Pod,
    doNotDisrupt: DoNotDisrupt,
    isBlocking: (budget: PodDisruptionBudget) => boolean,
    kind: BudgetBlockKind,
  ): BudgetBlock | undefined {
    const inNamespace = this.#namespaces.get(pod.metadata.namespace ?? '');
    if (inNamespace === undefined || findEvictionObstacle(pod, doNotDisrupt) !== undefined) return undefined;
    const found = inNamespace.selecting(pod.metadata.labels);
    if (found.length > 1) return { kind: 'MultipleBudgets', budgets: budgetsOf(found) };
    if (inNamespace.unreadable.size > 0) {
      return { kind: 'UnreadableSelector', budgets: budgetsOf([...inNamespace.unreadable]) };
    }
    const budget = found[0]?.budget;
    if (budget === undefined || !isBlocking(budget)) return undefined;
    return permitsUnhealthy(budget) && isUnhealthy(pod) ? undefined : { kind, budgets: [budget] };
  }

  #put(budget: PodDisruptionBudget): void {
    const { namespace = '' } = budget.metadata;
    let budgets = this.#namespaces.get(namespace);
    if (budgets === undefined) this.#namespaces.set(namespace, (budgets = new NamespaceBudgets()));
    if (budgets.put(budget)) this.#revision++;
  }

  #remove({ metadata }: PodDisruptionBudget): void {
    const { namespace = '', name } = metadata;
    const budgets = this.#namespaces.get(namespace);
    budgets?.remove(name);
    this.#revision++;
    if (budgets?.isEmpty === true) this.#namespaces.delete(namespace);
  }
}

/** A budget as it is now, and where it is filed: unchanged as long as its selector is. */
interface Entry {
  budget: PodDisruptionBudget;
  /** Undefined if it cannot be read. */
  readonly selector: LabelSelector | undefined;
}

/** Labels of a pod. The cache stores equal label maps once, so the object can be used as a key. */
type Labels = NonNullable<Pod['metadata']['labels']>;

const NO_LABELS: Labels = {};

/** The PodDisruptionBudgets of one namespace. */
class NamespaceBudgets {
  /** Budgets with a selector that cannot be read. */
  readonly unreadable = new Set<Entry>();
  readonly #byName = new Map<string, Entry>();
  /** The others by what their pods must have: a label with a value, a label with any value, or nothing (`ANY_POD`). */
  readonly #byDemand = new Map<string, Set<Entry>>();
  /** The budgets that select pods with certain labels, as far as they were asked for. */
  #selecting = new WeakMap<Labels, readonly Entry[]>();

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Adds or updates a budget. Returns whether it may block other pods than before. */
  put(budget: PodDisruptionBudget): boolean {
    const { name } = budget.metadata;
    const known = this.#byName.get(name);
    if (known !== undefined && isDeepStrictEqual(known.budget.spec.selector, budget.spec.selector)) {
      const before = known.budget;
      known.budget = budget; // most changes are those of its status
      return allowsNone(before) !== allowsNone(budget) || !isDeepStrictEqual(before.spec, budget.spec);
    }
    this.remove(name);
    const entry: Entry = { budget, selector: readSelector(budget) };
    this.#byName.set(name, entry);
    if (entry.selector === undefined) this.unreadable.add(entry);
    for (const demand of demandsOf(entry.selector)) {
      const same = this.#byDemand.get(demand);
      if (same === undefined) this.#byDemand.set(demand, new Set([entry]));
      else same.add(entry);
    }
    this.#selecting = new WeakMap();
    return true;
  }

  remove(name: string): void {
    const entry = this.#byName.get(name);
    if (entry === undefined) return;
    this.#byName.delete(name);
    this.unreadable.delete(entry);
    for (const demand of demandsOf(entry.selector)) {
      const same = this.#byDemand.get(demand);
      same?.delete(entry);
      if (same?.size === 0) this.#byDemand.delete(demand);
    }
    this.#selecting = new WeakMap();
  }

  /** The budgets that select pods with these labels. */
  selecting(labels: Labels = NO_LABELS): readonly Entry[] {
    let found = this.#selecting.get(labels);
    if (found === undefined) {
      const offers = Object.entries(labels).flatMap(([key, value]) => [key, labelDemand(key, value)]);
      const filed = [ANY_POD, ...offers].flatMap((demand) => [...(this.#byDemand.get(demand) ?? [])]);
      found = filed.filter(({ selector }) => selector !== undefined && matchesLabels(selector, labels));
      this.#selecting.set(labels, found);
    }
    return found;
  }
}

/** No label has an empty key. */
const ANY_POD = '';

/** A label key never contains the character between the two. */
function labelDemand(key: string, value: string): string {
  return `${key}=${value}`;
}

/**
 * Under what a budget with this selector is filed: a pod that it selects meets exactly one of these demands. One label
 * of the selector is enough for that, because the whole selector is compared afterwards.
 */
function demandsOf(selector: LabelSelector | undefined): readonly string[] {
  if (selector === undefined || selector.kind === 'nothing') return [];
  const { requirements } = selector;
  const valued =
    requirements.find(({ operator }) => operator === '=') ?? requirements.find((one) => one.operator === 'in');
  if (valued !== undefined) return valued.values.map((value) => labelDemand(valued.key, value));
  const { key = ANY_POD } = requirements.find(({ operator }) => operator === 'exists') ?? {};
  return [key];
}

/** Undefined if the selector cannot be read. The API server refuses such a selector today; an old budget may have it. */
function readSelector({ spec }: PodDisruptionBudget): LabelSelector | undefined {
  try {
    return labelSelectorFrom(spec.selector);
  } catch (error) {
    if (error instanceof LabelSelectorError) return undefined;
    throw error;
  }
}

function budgetsOf(entries: readonly Entry[]): readonly PodDisruptionBudget[] {
  const budgets = entries.map(({ budget }) => budget);
  return budgets.sort((a, b) => (objectKey(a.metadata) < objectKey(b.metadata) ? -1 : 1));
}

/** Whether the budget allows no disruption at the moment. A budget without a status has not been looked at yet. */
function allowsNone({ status }: PodDisruptionBudget): boolean {
  return (status?.disruptionsAllowed ?? 0) === 0;
}

/** Whether the budget can never allow a disruption, whatever the state of its pods. */
function isFullyBlocking({ spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget): boolean {
  return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%';
}

/** Whether pods that are not ready may be evicted regardless of the budget. */
function permitsUnhealthy({ spec }: PodDisruptionBudget): boolean {
  return spec.unhealthyPodEvictionPolicy === 'AlwaysAllow';
}

function isUnhealthy({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'False') ?? false;
}
