import type { ObjectMeta } from '../objects/object-meta.ts';
import type { ResourceList } from '../objects/resource-list.ts';
import type { ApiObject } from '../objects/resource-type.ts';
import type { Affinity, TopologySpreadConstraint } from './affinity.ts';
import type { ObjectCondition } from './condition.ts';

/** A v1 Pod: the fields our code reads or writes. Every other field passes through untouched. */
export interface Pod extends ApiObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus | undefined;
}

/** What a workload makes its pods from. */
export interface PodTemplate {
  readonly metadata?: Partial<ObjectMeta> | undefined;
  readonly spec: PodSpec;
}

export interface PodSpec {
  readonly nodeName?: string | undefined;
  readonly schedulerName?: string | undefined;
  readonly schedulingGates?: readonly { readonly name: string }[] | undefined;
  readonly priority?: number | undefined;
  readonly priorityClassName?: string | undefined;
  readonly preemptionPolicy?: string | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly affinity?: Affinity | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[] | undefined;
  /** Every pod that an API server has admitted has one; pods in files may have none. */
  readonly containers?: readonly Container[] | undefined;
  readonly initContainers?: readonly Container[] | undefined;
  /** Pod-level requests, which stand in for the sum over the containers. */
  readonly resources?: ResourceRequirements | undefined;
  /** What the runtime itself takes; set by RuntimeClass admission. */
  readonly overhead?: ResourceList | undefined;
  readonly volumes?: readonly Volume[] | undefined;
  readonly resourceClaims?: readonly unknown[] | undefined;
  readonly readinessGates?: readonly { readonly conditionType: string }[] | undefined;
  readonly restartPolicy?: string | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
  readonly hostNetwork?: boolean | undefined;
  readonly hostname?: string | undefined;
  readonly subdomain?: string | undefined;
}

export interface Container {
  readonly name?: string | undefined;
  readonly image?: string | undefined;
  /** `Always` makes an init container a sidecar. */
  readonly restartPolicy?: string | undefined;
  readonly resources?: ResourceRequirements | undefined;
  readonly ports?: readonly ContainerPort[] | undefined;
  readonly env?: readonly { readonly name: string; readonly valueFrom?: object | undefined }[] | undefined;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[] | undefined;
}

interface ResourceRequirements {
  readonly requests?: ResourceList | undefined;
  readonly limits?: ResourceList | undefined;
  readonly claims?: readonly unknown[] | undefined;
}

export interface ContainerPort {
  readonly containerPort?: number | undefined;
  readonly hostPort?: number | undefined;
  readonly hostIP?: string | undefined;
  readonly protocol?: string | undefined;
}

export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
  readonly tolerationSeconds?: number | undefined;
}

/** A volume of a pod. */
export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string } | undefined;
  /** Its claim is named `<pod>-<volume>`. */
  readonly ephemeral?: object | undefined;
}

export interface PodStatus {
  readonly phase?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly startTime?: string | undefined;
  readonly nominatedNodeName?: string | undefined;
  readonly conditions?: readonly ObjectCondition[] | undefined;
  readonly containerStatuses?: readonly ContainerStatus[] | undefined;
  readonly initContainerStatuses?: readonly ContainerStatus[] | undefined;
  readonly observedGeneration?: number | undefined;
}

export interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number | undefined;
  readonly state?:
    | {
        readonly running?: { readonly startedAt?: string | undefined } | undefined;
        readonly terminated?: { readonly exitCode: number; readonly finishedAt?: string | undefined } | undefined;
      }
    | undefined;
  /** What the kubelet holds for the container while it is resized in place. */
  readonly resources?: ResourceRequirements | undefined;
  readonly allocatedResources?: ResourceList | undefined;
}
