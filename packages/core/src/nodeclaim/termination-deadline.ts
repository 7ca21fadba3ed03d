import { nanosToMilliseconds, parseDuration, timestamp } from '@karpenter-ts/kubernetes';
import { type NodeClaim, TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import type { Instant } from '@karpenter-ts/runtime';

/** When a node must be empty. */
export type TerminationDeadline =
  | { readonly kind: 'None' }
  | { readonly kind: 'At'; readonly at: Instant; readonly text: string }
  /** The annotation cannot be parsed. */
  | { readonly kind: 'Unreadable'; readonly text: string };

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads the deadline from the annotation. If the NodeClaim was deleted a moment ago and has no annotation yet, computes
 * the value it is going to have (spec 03 §7.1, §18-28).
 */
export function readDeadline({ metadata, spec }: NodeClaim): TerminationDeadline {
  const text = metadata.annotations?.[TERMINATION_TIMESTAMP];
  if (text !== undefined) {
    const at = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(at) ? { kind: 'Unreadable', text } : { kind: 'At', at, text };
  }
  const { deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined || spec.terminationGracePeriod === undefined) return { kind: 'None' };
  const at = Date.parse(deletionTimestamp) + nanosToMilliseconds(parseDuration(spec.terminationGracePeriod));
  return { kind: 'At', at, text: timestamp(at) };
}
