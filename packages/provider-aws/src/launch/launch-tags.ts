import {
  CLUSTER_NAME_TAG,
  clusterTag,
  type EC2NodeClass,
  EC2NODECLASS_TAG,
  type NodeClaim,
  NODEPOOL_LABEL,
  NODEPOOL_TAG,
} from '@karpenter-ts/apis';

export type Tags = Readonly<Record<string, string>>;

/** The tags of everything that a launch creates. The provider finds its instances again by its own ones. */
export function launchTags(nodeClass: EC2NodeClass, nodeClaim: NodeClaim, clusterName: string): Tags {
  return {
    ...nodeClass.spec?.tags,
    [clusterTag(clusterName)]: 'owned',
    [NODEPOOL_TAG]: nodeClaim.metadata.labels?.[NODEPOOL_LABEL] ?? '',
    [CLUSTER_NAME_TAG]: clusterName,
    [EC2NODECLASS_TAG]: nodeClass.metadata.name,
  };
}

/** As EC2 takes them, in a fixed order. */
export function ec2Tags(tags: Tags): { Key: string; Value: string }[] {
  const sorted = Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([Key, Value]) => ({ Key, Value }));
}
