import type { Filter, Rejection } from './filters/filter.ts';

/** Why no node can take a pod, in kube-scheduler's words. */
export interface FitFailure {
  readonly message: string;
  /** The filters that rejected the pod: only events that help one of them lead to a retry. */
  readonly rejectedBy: ReadonlySet<Filter>;
}

export const NO_NODES: FitFailure = { message: 'no nodes available to schedule pods', rejectedBy: new Set() };

/** Collects the rejections of one scheduling cycle. */
export class FitReport {
  /** The nodes of each rejection. Most cycles succeed, so only counts are kept until a message is needed. */
  readonly #nodes = new Map<Rejection, { readonly filter: Filter; count: number }>();
  #everywhere: { readonly filter: Filter; readonly reason: string } | undefined;

  /** Rejects the pod on all nodes. */
  rejectEverywhere(filter: Filter, reason: string): void {
    this.#everywhere = { filter, reason };
  }

  /** Rejects a node, or `count` nodes for the same reasons. */
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
  /** The number of nodes where preemption could make room. */
  readonly yielding: number;
  readonly mayPreempt: boolean;
}

/** The message of the two PostFilter plugins: the first is about devices, the second about preemption. */
function failure(nodeCount: number, reasons: string, { rejectedBy, yielding, mayPreempt }: Prospects): FitFailure {
  const rescue = `no new claims to deallocate, preemption: ${preemption(nodeCount, yielding, mayPreempt)}`;
  return { message: `${unavailable(nodeCount)}${reasons}. ${rescue}`, rejectedBy };
}

/** This scheduler never preempts: the words are kube-scheduler's when preemption finds no victims. */
function preemption(nodeCount: number, yielding: number, mayPreempt: boolean): string {
  if (!mayPreempt) return 'not eligible due to preemptionPolicy=Never.';
  const reasons = new Map([
    ['No preemption victims found for incoming pod', yielding],
    ['Preemption is not helpful for scheduling', nodeCount - yielding],
  ]);
  return `${unavailable(nodeCount)}${histogram(reasons)}.`;
}

const unavailable = (nodeCount: number): string => `0/${nodeCount} nodes are available: `;

/** Sorted as texts, numbers included, like kube-scheduler's messages. */
function histogram(reasons: ReadonlyMap<string, number>): string {
  const lines: string[] = [];
  for (const [reason, count] of reasons) if (count > 0) lines.push(`${count} ${reason}`);
  return lines.sort().join(', ');
}
