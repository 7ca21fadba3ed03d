import type { ApiObject, ObjectMeta } from '@karpenter-ts/kubernetes';
import type { ObjectCondition } from './condition.ts';

export { PODS } from '@karpenter-ts/kubernetes';

/** A pod, as far as controllers and kubelets read it; every other field passes through them untouched. */
export interface Pod extends ApiObject {
  readonly metadata: PodMeta;
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

interface PodMeta extends ObjectMeta {
  readonly deletionGracePeriodSeconds?: number;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Affinity;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly hostNetwork?: boolean;
  readonly hostname?: string;
  readonly subdomain?: string;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly restartPolicy?: string;
  readonly env?: readonly { readonly name: string; readonly valueFrom?: object }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: object;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  };
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

interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly ObjectCondition[];
  readonly startTime?: string;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly observedGeneration?: number;
}

interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: { readonly exitCode: number; readonly finishedAt?: string };
  };
}

/** What a workload makes its pods from. */
export interface PodTemplate {
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations' | 'finalizers'>;
  readonly spec: PodSpec;
}
