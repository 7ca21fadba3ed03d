// Every annotation name Karpenter reads or writes (spec 01 §10.3).

/** On a pod `"true"` or a duration, on Nodes, NodeClaims and NodePool templates `"true"`: do not disrupt this. */
export const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

/** Static-drift hash of the NodePool a NodeClaim was made from. */
export const NODEPOOL_HASH = 'karpenter.sh/nodepool-hash';
/** Version of the algorithm behind that hash. */
export const NODEPOOL_HASH_VERSION = 'karpenter.sh/nodepool-hash-version';

/** Static-drift hash of the EC2NodeClass a NodeClaim was launched with. */
export const EC2NODECLASS_HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
/** Version of the algorithm behind that hash. */
export const EC2NODECLASS_HASH_VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';

/** RFC 3339 time at which the instance of a deleting NodeClaim is terminated, drained or not. */
export const TERMINATION_TIMESTAMP = 'karpenter.sh/nodeclaim-termination-timestamp';
/** `"true"` or `"false"`: whether this NodeClaim was planned with fewer distinct values than `minValues` asks. */
export const MIN_VALUES_RELAXED = 'karpenter.sh/nodeclaim-min-values-relaxed';
/** Comma-separated names of the DRA drivers that must publish their devices before the Node counts as initialised. */
export const REQUESTED_DRA_DRIVERS = 'karpenter.sh/requested-dra-drivers';
/** `"true"` when a NodeOverlay changed the price of a candidate instance type. */
export const PRICE_OVERLAY_APPLIED = 'karpenter.sh/price-overlay-applied';
/** `"true"` when a NodeOverlay changed the capacity of a candidate instance type. */
export const CAPACITY_OVERLAY_APPLIED = 'karpenter.sh/capacity-overlay-applied';
/** A name upstream reserves and nobody writes. */
export const PROVIDER_COMPATIBILITY = 'compatibility.karpenter.sh/provider';

/** `"true"` once the instance carries its tags. */
export const INSTANCE_TAGGED = 'karpenter.k8s.aws/tagged';
/** `"true"` once the instance carries the cluster-name tag. */
export const CLUSTER_NAME_TAGGED = 'compatibility.karpenter.k8s.aws/cluster-name-tagged';
/** The instance profile the NodeClaim was launched with. */
export const INSTANCE_PROFILE_NAME = 'karpenter.k8s.aws/instance-profile-name';

/** `"true"` on the virtual pods that stand for a CapacityBuffer. */
export const CAPACITY_BUFFER_FAKE_POD = 'karpenter.sh/capacity-buffer-fake-pod';
/** Name of the buffer a virtual pod stands for. */
export const CAPACITY_BUFFER_NAME = 'karpenter.sh/capacity-buffer-name';
/** Namespace of the buffer a virtual pod stands for. */
export const CAPACITY_BUFFER_NAMESPACE = 'karpenter.sh/capacity-buffer-namespace';
