import { defineCounter, defineGauge, defineHistogram, DURATION_BUCKETS } from '@karpenter-ts/runtime';
import type { CommandReason } from '../commands/command.ts';

// Names, labels and help texts are upstream's (spec 04 §20), but for those of the drift back-off, which upstream has
// designed and not built (spec 04 §24-7).

export const evaluationSeconds = defineHistogram(
  'karpenter_voluntary_disruption_decision_evaluation_duration_seconds',
  ['reason', 'consolidation_type'],
  'Duration of the disruption decision evaluation process in seconds. Labeled by method and consolidation type.',
  DURATION_BUCKETS,
);

export const decisionsTotal = defineCounter(
  'karpenter_voluntary_disruption_decisions_total',
  ['decision', 'reason', 'consolidation_type'],
  'Number of disruption decisions performed. Labeled by disruption decision, reason, and consolidation type.',
);

export const decisionsByNodePool = defineCounter(
  'karpenter_voluntary_disruption_decisions_by_nodepool_total',
  ['nodepool', 'decision', 'reason', 'consolidation_type'],
  'Number of disruption decisions performed by nodepool. Labeled by nodepool name, disruption decision, reason, and ' +
    'consolidation type.',
);

export const eligibleNodes = defineGauge(
  'karpenter_voluntary_disruption_eligible_nodes',
  ['reason'],
  'Number of nodes eligible for disruption by Karpenter. Labeled by disruption reason.',
);

export const consolidationTimeouts = defineCounter(
  'karpenter_voluntary_disruption_consolidation_timeouts_total',
  ['consolidation_type'],
  'Number of times the Consolidation algorithm has reached a timeout. Labeled by consolidation type.',
);

export const failedValidations = defineCounter(
  'karpenter_voluntary_disruption_failed_validations_total',
  ['consolidation_type'],
  'Number of candidates that were selected for disruption but failed validation. Labeled by consolidation type.',
);

export const queueFailures = defineCounter(
  'karpenter_voluntary_disruption_queue_failures_total',
  ['decision', 'reason', 'consolidation_type'],
  'The number of times that an enqueued disruption decision failed. Labeled by disruption method.',
);

export const allowedDisruptionsGauge = defineGauge(
  'karpenter_nodepools_allowed_disruptions',
  ['nodepool', 'reason'],
  'The number of nodes for a given NodePool that can be concurrently disrupting at a point in time. Labeled by ' +
    'NodePool. Note that allowed disruptions can change very rapidly, as new nodes may be created and others may be ' +
    'deleted at any point.',
);

export const nodesConsumingBudgets = defineGauge(
  'karpenter_nodepools_nodes_consuming_budgets',
  ['nodepool', 'reason'],
  'The number of nodes consuming the budget of a nodepool at a point in time. Labeled by NodePool.',
);

export const consolidationScore = defineHistogram(
  'karpenter_consolidation_score',
  ['decision', 'nodepool', 'policy'],
  'Score of balanced consolidation moves. Labeled by decision, NodePool, and policy.',
  [0.1, 0.25, 0.33, 0.5, 1, 2, 5, 10],
);

export const consolidationMoves = defineCounter(
  'karpenter_consolidation_moves_total',
  ['decision', 'nodepool', 'policy'],
  'Number of balanced consolidation moves. Labeled by decision, NodePool, and policy.',
);

export const driftBackOffs = defineCounter(
  'karpenter_voluntary_disruption_drift_backoffs_total',
  ['nodepool'],
  'Number of times that drift of a nodepool was held back because a command failed. Labeled by nodepool.',
);

export const driftBackOffSeconds = defineGauge(
  'karpenter_nodepool_drift_backoff_seconds',
  ['nodepool'],
  'How long drift of a nodepool is held back after its last failed command. Labeled by nodepool.',
);

/** The reason as most metrics of disruption have it. A reason is one word, so this is upstream's snake case as well. */
export function reasonLabel(reason: CommandReason): string {
  return reason.toLowerCase();
}
