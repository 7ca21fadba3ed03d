import type { LabelSelectorSpec, ObjectMeta } from '@karpenter-ts/kubernetes';

/** What the controllers read of a v1 Service. */
export interface Service {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly selector?: Readonly<Record<string, string>> | undefined };
}

/** What the controllers read of a v1 ReplicationController. */
export interface ReplicationController {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly selector?: Readonly<Record<string, string>> | undefined };
}

/** What the controllers read of an apps/v1 ReplicaSet or StatefulSet. */
export interface ReplicaOwner {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly selector?: LabelSelectorSpec | undefined };
}
