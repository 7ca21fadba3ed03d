import type { LabelSelectorSpec, ObjectMeta, ResourceList } from '@karpenter-ts/kubernetes';

/** What planning reads of a v1 Pod. A pod from the API server or from a file is one as it is. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status?: PodStatus | undefined;
}

export interface PodSpec {
  readonly nodeName?: string | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly affinity?: Affinity | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[] | undefined;
  readonly containers?: readonly Container[] | undefined;
  readonly initContainers?: readonly Container[] | undefined;
  /** Pod-level requests, which stand in for the sum over the containers. */
  readonly resources?: Resources | undefined;
  /** What the runtime itself takes; set by RuntimeClass admission. */
  readonly overhead?: ResourceList | undefined;
  readonly volumes?: readonly PodVolume[] | undefined;
  readonly resourceClaims?: readonly unknown[] | undefined;
}

interface PodStatus {
  readonly phase?: string | undefined;
  readonly conditions?: readonly { readonly type: string; readonly reason?: string | undefined }[] | undefined;
  readonly containerStatuses?: readonly ContainerStatus[] | undefined;
  readonly initContainerStatuses?: readonly ContainerStatus[] | undefined;
}

/** What the kubelet holds for a container while it is resized in place. */
export interface ContainerStatus {
  readonly name: string;
  readonly resources?: Resources | undefined;
  readonly allocatedResources?: ResourceList | undefined;
}

export interface Container {
  readonly name?: string | undefined;
  /** `Always` makes an init container a sidecar. */
  readonly restartPolicy?: string | undefined;
  readonly resources?: Resources | undefined;
  readonly ports?: readonly ContainerPort[] | undefined;
}

interface Resources {
  readonly requests?: ResourceList | undefined;
  readonly limits?: ResourceList | undefined;
  readonly claims?: readonly unknown[] | undefined;
}

interface ContainerPort {
  readonly hostPort?: number | undefined;
  readonly hostIP?: string | undefined;
  readonly protocol?: string | undefined;
}

export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
}

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity | undefined;
  readonly podAffinity?: PodAffinity | undefined;
  readonly podAntiAffinity?: PodAffinity | undefined;
}

interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredNodeTerm[] | undefined;
}

export interface NodeSelector {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeExpression[] | undefined;
  readonly matchFields?: readonly NodeExpression[] | undefined;
}

export interface NodeExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

export interface PreferredNodeTerm {
  readonly weight: number;
  readonly preference: NodeSelectorTerm;
}

/** Affinity or anti-affinity to pods: both have this form. */
export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] | undefined;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredPodTerm[] | undefined;
}

export interface PodAffinityTerm {
  readonly topologyKey: string;
  readonly labelSelector?: LabelSelectorSpec | undefined;
  readonly namespaces?: readonly string[] | undefined;
  readonly namespaceSelector?: LabelSelectorSpec | undefined;
}

export interface PreferredPodTerm {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelectorSpec | undefined;
  readonly minDomains?: number | undefined;
  readonly nodeAffinityPolicy?: string | undefined;
  readonly nodeTaintsPolicy?: string | undefined;
  readonly matchLabelKeys?: readonly string[] | undefined;
}

export interface PodVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string } | undefined;
  /** Its claim is named `<pod>-<volume>`. */
  readonly ephemeral?: object | undefined;
}

/** `namespace/name`, as texts and plans name a pod. */
export function podName(pod: Pod): string {
  return `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name}`;
}

/** What tells two pods apart: the UID, or the name where there is none, as in files. */
export function podId(pod: Pod): string {
  return pod.metadata.uid ?? podName(pod);
}
