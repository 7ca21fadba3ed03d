import type { NodeEntry } from '../model/node-entry.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { Snapshot } from '../model/snapshot.ts';

export const BEST = 100;

/** One opinion on which of the nodes that can take a pod is best. Reads the snapshot, changes nothing. */
export interface Score {
  /** How much it counts, as in kube-scheduler's default profile. */
  readonly weight: number;
  /** From 0 to `BEST` for each node, in their order; undefined if all are alike. */
  rate(pod: PodClass, nodes: readonly NodeEntry[], snapshot: Snapshot): readonly number[] | undefined;
}

/** As Math.max, for as many values as there are nodes: a call takes only so many arguments. */
export function largestOf(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

/** As Math.min, for as many values as there are nodes. */
export function smallestOf(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** Raw numbers as parts of the largest. Undefined if there is none above 0. */
export function partsOfLargest(raw: readonly number[]): readonly number[] | undefined {
  const largest = largestOf(raw);
  return largest > 0 ? raw.map((value) => Math.floor((BEST * value) / largest)) : undefined;
}

/** The node all scores together like best; of equals the first. */
export function bestOf(
  pod: PodClass,
  nodes: readonly NodeEntry[],
  scores: readonly Score[],
  snapshot: Snapshot,
): NodeEntry {
  if (nodes.length === 1) return nodes[0]!;
  const totals = new Float64Array(nodes.length);
  for (const score of scores) {
    const rates = score.rate(pod, nodes, snapshot);
    if (rates === undefined) continue;
    for (let i = 0; i < totals.length; i++) totals[i] = totals[i]! + score.weight * rates[i]!;
  }
  let best = 0;
  for (let i = 1; i < totals.length; i++) if (totals[i]! > totals[best]!) best = i;
  return nodes[best]!;
}
