/** Holds NodeClaims (from before launch) and Nodes (from registration) until the instance is gone. */
export const TERMINATION_FINALIZER = 'karpenter.sh/termination';

/** Holds an EC2NodeClass until no NodeClaim refers to it. */
export const EC2NODECLASS_TERMINATION_FINALIZER = 'karpenter.k8s.aws/termination';
