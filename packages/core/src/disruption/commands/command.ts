import type { WindowReason } from '@karpenter-ts/apis';
import type { InstanceType, Plan, PlannedNode } from '@karpenter-ts/scheduling';
import type { Candidate } from '../candidates/candidate.ts';

/** Why nodes are disrupted: the reasons of budgets, and the expiration that asks first (spec 09 B2). */
export type CommandReason = WindowReason;

/** The methods, in the order in which a pass tries them (spec 04 §1). */
export type MethodName = 'Emptiness' | 'Expiration' | 'Drift' | 'MultiNodeConsolidation' | 'SingleNodeConsolidation';

/** A value of the label `consolidation_type` in metrics. */
export type ConsolidationType = 'empty' | '' | 'multi' | 'single';

/** A node to buy before the candidates go. */
export interface Replacement {
  /** As the what-if planned it; `instanceTypes`, `requirements` and `capacityTypes` are those that are left of it. */
  readonly planned: PlannedNode;
  /** The types of `planned.instanceTypes`, cheapest first. */
  readonly instanceTypes: readonly InstanceType[];
}

/** What a method wants to do: delete the candidates, after their replacements have become ready. */
export interface Command {
  readonly method: MethodName;
  readonly reason: CommandReason;
  readonly consolidationType: ConsolidationType;
  readonly candidates: readonly Candidate[];
  /** None for a command that only deletes. */
  readonly replacements: readonly Replacement[];
  /** Where the pods go; undefined for Emptiness, which asks nobody. */
  readonly plan: Plan | undefined;
  /** Dollars per hour; less than 0 if the replacements cost more. */
  readonly savings: number;
}

/** The word of logs, events and metrics for what a command does. */
export type Decision = 'delete' | 'replace' | 'no-op';

export function decisionOf({ candidates, replacements }: Pick<Command, 'candidates' | 'replacements'>): Decision {
  if (candidates.length === 0) return 'no-op';
  return replacements.length === 0 ? 'delete' : 'replace';
}

/** Whether the command replaces nodes by several that are cheaper together (spec 09 A2). */
export function isSplit({ reason, replacements }: Pick<Command, 'reason' | 'replacements'>): boolean {
  return reason === 'Underutilized' && replacements.length > 1;
}
