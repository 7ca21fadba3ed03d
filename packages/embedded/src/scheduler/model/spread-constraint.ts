import { type LabelSelector, labelSelectorFrom, type TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import { type LabelledPod, withLabelKeys } from './affinity-term.ts';

/** How evenly pods are to be spread over the domains a node label makes. */
export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: LabelSelector;
  /** Whether nodes the pod's node affinity excludes are left out of the count. */
  readonly honoursAffinity: boolean;
  /** Whether nodes whose taints the pod does not tolerate are left out of the count. */
  readonly honoursTaints: boolean;
}

/** The pod's constraints of one kind, defaults filled in. */
export function spreadConstraints(
  constraints: readonly TopologySpreadConstraint[] = [],
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway',
  pod: LabelledPod,
): readonly SpreadConstraint[] {
  return constraints
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map(({ topologyKey, maxSkew, minDomains, labelSelector, matchLabelKeys = [], ...policies }) => ({
      topologyKey,
      maxSkew,
      minDomains: minDomains ?? 1,
      selector: withLabelKeys(labelSelectorFrom(labelSelector), pod.labels, { same: matchLabelKeys }),
      honoursAffinity: policies.nodeAffinityPolicy !== 'Ignore',
      honoursTaints: policies.nodeTaintsPolicy === 'Honor',
    }));
}
