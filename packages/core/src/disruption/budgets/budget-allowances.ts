import {
  findBudgetProblems,
  type NodePool,
  NODEPOOL_LABEL,
  type WindowReason,
  type WindowVerdict,
} from '@karpenter-ts/apis';
import { isTrue, READY } from '@karpenter-ts/kubernetes';
import type { ClusterSnapshot } from '../../state/cluster-model.ts';
import type { StateNode } from '../../state/state-node.ts';
import type { Candidate } from '../candidates/candidate.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import { allowedNodes } from './allowed-nodes.ts';

/** How many nodes of a NodePool may be disrupted for one reason (spec 04 §6). */
export interface Allowance {
  /** By budgets and windows, before anything is subtracted; `UNLIMITED` if none applies. */
  readonly allowed: number;
  /** Nodes of the pool that are not Ready or deleting. They count against the budgets of every reason. */
  readonly disrupting: number;
  /** What is left, at least 0. */
  readonly remaining: number;
  /** What windows say about the reason. */
  readonly window: WindowVerdict;
}

/** What the budgets of all managed NodePools allow for one reason. */
export interface BudgetAllowances {
  readonly reason: WindowReason;
  /** By name of the NodePool. */
  readonly byPool: ReadonlyMap<string, Allowance>;
  /** NodePools with nodes whose budgets allow no disruption at all. Those whose budgets are used up are not among them. */
  readonly blocking: readonly NodePool[];
}

/** The nodes of a NodePool as budgets count them (spec 04 §6.4). */
interface NodeCounts {
  readonly total: number;
  readonly disrupting: number;
}

/** Counts the nodes of every NodePool for its budgets. The counts are the same for every reason. */
export function countNodes({ active, deleting }: ClusterSnapshot): ReadonlyMap<string, NodeCounts> {
  const counts = new Map<string, { total: number; disrupting: number }>();
  for (const stateNodes of [active, deleting]) {
    for (const stateNode of stateNodes) {
      if (!isCounted(stateNode)) continue;
      const nodePool = stateNode.existing.labels[NODEPOOL_LABEL] ?? '';
      let count = counts.get(nodePool);
      if (count === undefined) counts.set(nodePool, (count = { total: 0, disrupting: 0 }));
      count.total++;
      if (isDisrupted(stateNode)) count.disrupting++;
    }
  }
  return counts;
}

/** Computes what the budgets allow for a reason now. */
export function findAllowances(
  reason: WindowReason,
  { pools, now }: Pick<DisruptionState, 'pools' | 'now'>,
  counts: ReadonlyMap<string, NodeCounts>,
): BudgetAllowances {
  const byPool = new Map<string, Allowance>();
  const blocking: NodePool[] = [];
  for (const [name, pool] of pools) {
    const { total, disrupting } = counts.get(name) ?? NO_NODES;
    const { nodes: allowed, byBudgets, window } = allowedNodes(pool, { reason, nodeCount: total, now });
    byPool.set(name, { allowed, disrupting, remaining: Math.max(allowed - disrupting, 0), window });
    if (total !== 0 && byBudgets === 0) blocking.push(pool.nodePool);
  }
  return { reason, byPool, blocking };
}

/** A NodePool with budgets that cannot be read, so that none of its nodes may be disrupted. */
export interface FaultyBudgets {
  readonly nodePool: NodePool;
  /** What is wrong with each of them, in upstream's words for its log. */
  readonly problems: readonly string[];
}

/** The NodePools with budgets that validation should have refused. */
export function findFaultyBudgets(nodePools: readonly NodePool[]): readonly FaultyBudgets[] {
  const faulty: FaultyBudgets[] = [];
  for (const nodePool of nodePools) {
    const problems = findBudgetProblems(nodePool.spec.disruption.budgets).map(
      // Upstream adds the schedule that it could not parse, so there is none to add.
      ({ field, message }) => (field === 'schedule' ? `${message} (cron=<nil>)` : message),
    );
    if (problems.length > 0) faulty.push({ nodePool, problems });
  }
  return faulty;
}

/** What is left of the budgets while a method chooses among its candidates. */
export class BudgetCounter {
  readonly #remaining: Map<string, number>;
  #isConstrained = false;

  constructor({ byPool }: { readonly byPool: ReadonlyMap<string, Pick<Allowance, 'remaining'>> }) {
    this.#remaining = new Map([...byPool].map(([name, { remaining }]) => [name, remaining]));
  }

  /**
   * Whether a candidate was refused. A method that was constrained by budgets may find something as soon as they allow
   * more, so it must not remember that there is nothing to do.
   */
  get isConstrained(): boolean {
    return this.#isConstrained;
  }

  /** Whether the candidate may be disrupted. */
  admits({ pool }: Candidate): boolean {
    const isAdmitted = (this.#remaining.get(pool.nodePool.metadata.name) ?? 0) > 0;
    this.#isConstrained ||= !isAdmitted;
    return isAdmitted;
  }

  /** Whether the candidate may be disrupted together with those taken before, which takes it. */
  take(candidate: Candidate): boolean {
    if (!this.admits(candidate)) return false;
    const { name } = candidate.pool.nodePool.metadata;
    this.#remaining.set(name, this.#remaining.get(name)! - 1);
    return true;
  }
}

const NO_NODES: NodeCounts = { total: 0, disrupting: 0 };

/** A node that is not initialized runs no pods yet, and one whose instance is terminating runs none any more. */
function isCounted({ nodeClaim, existing }: StateNode): boolean {
  return nodeClaim !== undefined && existing.initialized && !isTrue(nodeClaim, 'InstanceTerminating');
}

function isDisrupted({ node, isDeleting }: StateNode): boolean {
  return isDeleting || node === undefined || !isTrue(node, READY);
}
