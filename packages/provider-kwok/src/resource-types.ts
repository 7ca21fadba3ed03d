import { KWOK_GROUP } from '@karpenter-ts/apis';
import type { ResourceType } from '@karpenter-ts/kubernetes';

/** The kind of NodeClass this provider understands. */
export const KWOK_NODE_CLASSES: ResourceType = {
  group: KWOK_GROUP,
  version: 'v1alpha1',
  plural: 'kwoknodeclasses',
  kind: 'KWOKNodeClass',
  namespaced: false,
};
