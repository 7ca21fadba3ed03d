import { REFERENCE_PROFILE, consolidationCluster, referenceCatalogue } from '@karpenter-ts/scheduling/testing';
import {
  type Cluster,
  consolidatableNodeClaim,
  initializedNode,
  NO_OBJECTS,
  type NodeParts,
  readyNodePool,
} from './cluster.ts';

/**
 * The cluster on which upstream was measured (anchors: Consolidation) as Kubernetes objects: full enough that few nodes
 * can go.
 */
export function syntheticCluster(count: number): Cluster {
  const instanceTypes = referenceCatalogue();
  const { nodes, pools } = consolidationCluster(count, instanceTypes);
  const nodePool = pools[0]!.nodePool.metadata.name;
  const parts = nodes.map(
    ({ name, labels, capacity, allocatable }): NodeParts => ({ name, nodePool, labels, capacity, allocatable }),
  );
  return {
    ...NO_OBJECTS,
    nodePools: [readyNodePool(nodePool)],
    nodes: parts.map(initializedNode),
    nodeClaims: parts.map(consolidatableNodeClaim),
    pods: nodes.flatMap(({ pods }) => pods),
    instanceTypes,
    profile: REFERENCE_PROFILE,
  };
}
