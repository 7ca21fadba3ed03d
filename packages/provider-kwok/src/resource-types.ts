import { KWOK_GROUP, type KWOKNodeClass } from '@karpenter-ts/apis';
import type { NodeClassKind } from '@karpenter-ts/cloudprovider';

/** The kind of NodeClass this provider understands. */
export const KWOK_NODE_CLASSES: NodeClassKind<KWOKNodeClass> = {
  group: KWOK_GROUP,
  version: 'v1alpha1',
  plural: 'kwoknodeclasses',
  kind: 'KWOKNodeClass',
  namespaced: false,
};
