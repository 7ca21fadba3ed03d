import type { NodeEntry } from '../model/node-entry.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { Snapshot } from '../model/snapshot.ts';

export const BEST = 100;

/** A score plugin. It reads the snapshot and changes nothing. */
export interface Score {
  /** The weight, as in kube-scheduler's default profile. */
  readonly weight: number;
  /** A score from 0 to `BEST` for each node; undefined if all are equal. */
  rate(pod: PodClass, nodes: readonly NodeEntry[], snapshot: Snapshot): readonly number[] | undefined;
}

/** Math.max for long arrays, which a call with spread arguments does not allow. */
export function largestOf(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

/** Math.min for long arrays. */
export function smallestOf(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** Normalises raw scores by the largest. Undefined if none is above 0. */
export function partsOfLargest(raw: readonly number[]): readonly number[] | undefined {
  const largest = largestOf(raw);
  return largest > 0 ? raw.map((value) => Math.floor((BEST * value) / largest)) : undefined;
}

/** Returns the node with the highest weighted sum of scores; of equal ones the first. */
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
