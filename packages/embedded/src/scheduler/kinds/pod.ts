import type { ApiObject, LabelSelectorSpec } from '@karpenter-ts/kubernetes';

export { PODS } from '@karpenter-ts/kubernetes';

/** A pod, as far as a scheduler reads it. */
export interface Pod extends ApiObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export interface PodSpec {
  readonly schedulerName?: string;
  readonly nodeName?: string;
  readonly priority?: number;
  readonly preemptionPolicy?: string;
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly resources?: { readonly requests?: ResourceList };
  readonly overhead?: ResourceList;
  readonly nodeSelector?: Labels;
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Affinity;
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly volumes?: readonly Volume[];
}

export type Labels = Readonly<Record<string, string>>;
export type ResourceList = Readonly<Record<string, string>>;

export interface Container {
  readonly resources?: { readonly requests?: ResourceList };
  readonly ports?: readonly ContainerPort[];
  /** `Always` makes an init container one that runs beside the others. */
  readonly restartPolicy?: string;
}

export interface ContainerPort {
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: object;
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredNodes[];
  };
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
}

export interface NodeSelector {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface PreferredNodes {
  readonly weight: number;
  readonly preference: NodeSelectorTerm;
}

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredPods[];
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelectorSpec;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly topologyKey: string;
}

interface PreferredPods {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelectorSpec;
  readonly matchLabelKeys?: readonly string[];
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
}

export interface PodStatus {
  readonly phase?: string;
  readonly nominatedNodeName?: string;
  readonly conditions?: readonly PodCondition[];
}

export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string | null;
  readonly observedGeneration?: number;
}

/** Pods that name another scheduler are not ours. */
export const SCHEDULER_NAME = 'default-scheduler';
