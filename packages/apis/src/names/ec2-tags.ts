import { AWS_GROUP, CORE_GROUP, NODEPOOL_LABEL } from './labels.ts';
import { goQuote } from '@karpenter-ts/kubernetes';

// Tags by which the product finds its instances again. It sets them itself, on everything it launches.

/** Name of the cluster. */
export const CLUSTER_NAME_TAG = 'eks:eks-cluster-name';
/** Name of the NodePool, as in the label of that name. */
export const NODEPOOL_TAG = NODEPOOL_LABEL;
/** Name of the NodeClaim. */
export const NODECLAIM_TAG = `${CORE_GROUP}/nodeclaim`;
/** Name of the EC2NodeClass. */
export const EC2NODECLASS_TAG = `${AWS_GROUP}/ec2nodeclass`;

/** The tag other Kubernetes software knows the cluster's resources by; its value is `owned`. */
export function clusterTag(clusterName: string): string {
  return `kubernetes.io/cluster/${clusterName}`;
}

const RESTRICTED_TAGS: ReadonlySet<string> = new Set([CLUSTER_NAME_TAG, NODEPOOL_TAG, NODECLAIM_TAG, EC2NODECLASS_TAG]);
const CLUSTER_TAG = /^kubernetes\.io\/cluster\/[0-9A-Za-z][A-Za-z0-9\-_]*$/;

/** Why users may not set these tags, in upstream's words; `undefined` when they may (spec 01 §7.4). */
export function findTagRestriction(tags: Readonly<Record<string, string>>): string | undefined {
  const restricted = Object.keys(tags).filter((key) => RESTRICTED_TAGS.has(key) || CLUSTER_TAG.test(key));
  if (restricted.length === 0) return undefined;
  return `tags failed validation requirements (tags=${restricted.sort().map(goQuote).join(', ')})`;
}
