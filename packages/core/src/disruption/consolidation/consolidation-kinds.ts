import type { ConsolidationKind } from '@karpenter-ts/apis';
import type { Candidate } from '../candidates/candidate.ts';

/** A NodePool that does not permit what consolidation would do with its node (spec 09 B3). */
export interface KindOff {
  readonly nodePool: string;
  readonly method: ConsolidationKind;
}

/** The first pool of the candidates that does not permit this; undefined if all of them do. */
export function findKindOff(candidates: readonly Candidate[], decision: 'delete' | 'replace'): KindOff | undefined {
  const method: ConsolidationKind = `${candidates.length > 1 ? 'multi' : 'single'}-${decision}`;
  const off = candidates.find(({ pool }) => !pool.settings.consolidationMethods.has(method));
  return off && { nodePool: off.pool.nodePool.metadata.name, method };
}
