/** What the account of AWS in this process has, named as our samples name it. */
export const CLUSTER_NAME = 'my-cluster';
export const NODE_ROLE = `KarpenterNodeRole-${CLUSTER_NAME}`;
export const QUEUE_NAME = 'my-cluster'; // Karpenter's guides name it after the cluster
