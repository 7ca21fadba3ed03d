import type { Filter, Rejection } from './filters/filter.ts';

/** Why no node can take a pod, in kube-scheduler's words. */
export interface FitFailure {
  readonly message: string;
  /** The filters that said no: changes that help none of them need no new try. */
  readonly rejectedBy: ReadonlySet<Filter>;
}

export const NO_NODES: FitFailure = { message: 'no nodes available to schedule pods', rejectedBy: new Set() };

/** Gathers what filters say until all of it is known. */
export class FitReport {
  /** Rejections with their nodes. Most searches succeed, so that nothing is made of them: a count is all they cost. */
  readonly #nodes = new Map<Rejection, { readonly filter: Filter; count: number }>();
  #everywhere: { readonly filter: Filter; readonly reason: string } | undefined;

  /** The pod can go nowhere, whatever the node. */
  rejectEverywhere(filter: Filter, reason: string): void {
    this.#everywhere = { filter, reason };
  }

  /** A node, or so many for the same reasons, cannot take the pod. */
  reject(filter: Filter, rejection: Rejection, count = 1): void {
    const nodes = this.#nodes.get(rejection);
    if (nodes === undefined) this.#nodes.set(rejection, { filter, count });
    else nodes.count += count;
  }

  /** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). …` */
  close(nodeCount: number, mayPreempt: boolean): FitFailure {
    if (this.#everywhere !== undefined) {
      const { filter, reason } = this.#everywhere;
      return failure(nodeCount, reason, { rejectedBy: new Set([filter]), yielding: 0, mayPreempt });
    }
    const reasons = new Map<string, number>();
    const rejectedBy = new Set<Filter>();
    let yielding = 0;
    for (const [rejection, { filter, count }] of this.#nodes) {
      rejectedBy.add(filter);
      if (rejection.mayPodsYield) yielding += count;
      for (const reason of rejection.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    }
    return failure(nodeCount, histogram(reasons), { rejectedBy, yielding, mayPreempt });
  }
}

interface Prospects {
  readonly rejectedBy: ReadonlySet<Filter>;
  /** Nodes on which pods could make room. */
  readonly yielding: number;
  readonly mayPreempt: boolean;
}

/** Of the two steps that could still make room, the first is about devices and the second about weaker pods. */
function failure(nodeCount: number, reasons: string, { rejectedBy, yielding, mayPreempt }: Prospects): FitFailure {
  const rescue = `no new claims to deallocate, preemption: ${preemption(nodeCount, yielding, mayPreempt)}`;
  return { message: `${unavailable(nodeCount)}${reasons}. ${rescue}`, rejectedBy };
}

/** Nobody is ever displaced here: the words are those for when no weaker pod is found. */
function preemption(nodeCount: number, yielding: number, mayPreempt: boolean): string {
  if (!mayPreempt) return 'not eligible due to preemptionPolicy=Never.';
  const reasons = new Map([
    ['No preemption victims found for incoming pod', yielding],
    ['Preemption is not helpful for scheduling', nodeCount - yielding],
  ]);
  return `${unavailable(nodeCount)}${histogram(reasons)}.`;
}

const unavailable = (nodeCount: number): string => `0/${nodeCount} nodes are available: `;

/** Sorted as texts, numbers included. */
function histogram(reasons: ReadonlyMap<string, number>): string {
  const lines: string[] = [];
  for (const [reason, count] of reasons) if (count > 0) lines.push(`${count} ${reason}`);
  return lines.sort().join(', ');
}
