import { KWOK_GROUP } from '@karpenter-ts/apis';
import type { ResourceType } from '@karpenter-ts/runtime';

/** The kind of NodeClass this provider understands. */
export const KWOK_NODE_CLASSES: ResourceType = {
  group: KWOK_GROUP,
  version: 'v1alpha1',
  plural: 'kwoknodeclasses',
  kind: 'KWOKNodeClass',
  namespaced: false,
};

/** Machines, as others see them. */
export const NODES: ResourceType = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };

/** Machines, as Karpenter asks for them. */
export const NODE_CLAIMS: ResourceType = {
  group: 'karpenter.sh',
  version: 'v1',
  plural: 'nodeclaims',
  kind: 'NodeClaim',
  namespaced: false,
};
