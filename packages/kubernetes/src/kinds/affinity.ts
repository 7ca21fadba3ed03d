import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { NodeSelector, NodeSelectorTerm } from './node-selector.ts';

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity | undefined;
  readonly podAffinity?: PodAffinity | undefined;
  readonly podAntiAffinity?: PodAffinity | undefined;
}

interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[] | undefined;
}

export interface PreferredSchedulingTerm {
  readonly weight: number;
  readonly preference: NodeSelectorTerm;
}

/** Affinity or anti-affinity to pods: both have this form. */
export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] | undefined;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[] | undefined;
}

export interface PodAffinityTerm {
  readonly topologyKey: string;
  readonly labelSelector?: LabelSelectorSpec | undefined;
  readonly matchLabelKeys?: readonly string[] | undefined;
  readonly mismatchLabelKeys?: readonly string[] | undefined;
  readonly namespaces?: readonly string[] | undefined;
  readonly namespaceSelector?: LabelSelectorSpec | undefined;
}

export interface WeightedPodAffinityTerm {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelectorSpec | undefined;
  readonly matchLabelKeys?: readonly string[] | undefined;
  readonly minDomains?: number | undefined;
  readonly nodeAffinityPolicy?: string | undefined;
  readonly nodeTaintsPolicy?: string | undefined;
}
