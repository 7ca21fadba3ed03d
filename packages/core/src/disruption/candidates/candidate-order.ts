import { EXPIRED_AT } from '@karpenter-ts/apis';
import { findCondition, instantOf } from '@karpenter-ts/kubernetes';
import { transitionOf } from '../../writes/conditions.ts';
import { type Candidate, candidateName } from './candidate.ts';

// The orders in which methods walk their candidates. Upstream leaves candidates that compare equal in random order; here
// the name decides, so that the same cluster gives the same commands.

/** Those first that save most for the disruption they cause (spec 04 §11.2). */
export function bySavingsRatio(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.toSorted((a, b) => b.savingsRatio - a.savingsRatio || byName(a, b));
}

/** Those first that have been drifted for the longest time. */
export function byDriftTime(candidates: readonly Candidate[]): readonly Candidate[] {
  const timed = candidates.map((candidate) => ({ candidate, since: driftedSince(candidate) }));
  timed.sort((a, b) => a.since - b.since || byName(a.candidate, b.candidate));
  return timed.map(({ candidate }) => candidate);
}

/** Those first that expired first (spec 09 B2). */
export function byExpiry(candidates: readonly Candidate[]): readonly Candidate[] {
  const timed = candidates.map((candidate) => ({ candidate, at: expiredAt(candidate) ?? 0 }));
  timed.sort((a, b) => a.at - b.at || byName(a.candidate, b.candidate));
  return timed.map(({ candidate }) => candidate);
}

function expiredAt({ nodeClaim }: Candidate): number | undefined {
  return instantOf(nodeClaim.metadata.annotations?.[EXPIRED_AT]);
}

function driftedSince({ nodeClaim }: Candidate): number {
  const drifted = findCondition(nodeClaim, 'Drifted');
  return drifted === undefined ? 0 : transitionOf(drifted);
}

function byName(a: Candidate, b: Candidate): number {
  const [one, other] = [candidateName(a), candidateName(b)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
