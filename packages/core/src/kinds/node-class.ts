import type { Condition, ObjectMeta } from '@karpenter-ts/kubernetes';

/** What the controllers read of any provider's NodeClass. */
export interface NodeClass {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}
