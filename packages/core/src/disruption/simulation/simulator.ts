import type { Pod } from '@karpenter-ts/kubernetes';
import type { Failure, Plan } from '@karpenter-ts/scheduling';
import type { StateNode } from '../../state/state-node.ts';
import type { Candidate } from '../candidates/candidate.ts';

/** Why a pod that is not pending has no place when the candidates are gone. */
export type SimulationError =
  | { readonly pod: Pod; readonly kind: 'Unschedulable'; readonly failure: Failure }
  /** It would land on a node that is not initialized yet, which may never be. */
  | { readonly pod: Pod; readonly kind: 'UninitializedNode'; readonly stateNode: StateNode };

/** What would happen without the candidates (spec 04 §7). */
export interface Simulation {
  readonly plan: Plan;
  /** Of pods other than pending ones. Empty if every one of them has a place. */
  readonly errors: readonly SimulationError[];
}

/** Asks where pods would go. It plans from one state, which does not change while it is in use. */
export interface Simulator {
  /** `CandidateIsDeleting` if one of the candidates is marked for deletion. Rejects if it was aborted. */
  simulate(candidates: readonly Candidate[], signal: AbortSignal): Promise<Simulation | 'CandidateIsDeleting'>;
}
