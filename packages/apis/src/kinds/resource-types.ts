import type { ResourceType } from '@karpenter-ts/kubernetes';

/** Where the API server keeps NodeClaims. */
export const NODE_CLAIMS: ResourceType = {
  group: 'karpenter.sh',
  version: 'v1',
  plural: 'nodeclaims',
  kind: 'NodeClaim',
  namespaced: false,
};

/** Where the API server keeps NodePools. */
export const NODE_POOLS: ResourceType = {
  group: 'karpenter.sh',
  version: 'v1',
  plural: 'nodepools',
  kind: 'NodePool',
  namespaced: false,
};
