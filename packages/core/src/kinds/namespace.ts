import type { ObjectMeta } from '@karpenter-ts/kubernetes';

/** What the controllers read of a v1 Namespace. */
export interface Namespace {
  readonly metadata: ObjectMeta;
}
