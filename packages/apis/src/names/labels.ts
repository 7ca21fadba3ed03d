// Every label name Karpenter reads or writes (spec 01 §10.1). Manifests, dashboards and selectors spell these out.

/** API group of NodePool, NodeClaim and NodeOverlay, and the label domain reserved with it. */
export const CORE_GROUP = 'karpenter.sh';
/** API group of EC2NodeClass, and the label domain reserved on AWS. */
export const AWS_GROUP = 'karpenter.k8s.aws';
/** API group of KWOKNodeClass, and the label domain reserved with the KWOK provider. */
export const KWOK_GROUP = 'karpenter.kwok.sh';

/** Name of the NodePool a NodeClaim or Node belongs to. */
export const NODEPOOL_LABEL = 'karpenter.sh/nodepool';
/** One of `spot`, `on-demand`, `reserved`. */
export const CAPACITY_TYPE_LABEL = 'karpenter.sh/capacity-type';
/** `"true"` once the Node took over what its NodeClaim says. */
export const REGISTERED_LABEL = 'karpenter.sh/registered';
/** `"true"` once the Node can take pods. */
export const INITIALIZED_LABEL = 'karpenter.sh/initialized';
/** `"true"` on Nodes whose boot configuration already sets the NodeClaim's taints. */
export const DO_NOT_SYNC_TAINTS_LABEL = 'karpenter.sh/do-not-sync-taints';

/** Zone the Node is in; legacy names are read as this one. */
export const ZONE_LABEL = 'topology.kubernetes.io/zone';
/** Region the Node is in. */
export const REGION_LABEL = 'topology.kubernetes.io/region';
/** Name of the instance type, as the provider spells it. */
export const INSTANCE_TYPE_LABEL = 'node.kubernetes.io/instance-type';
/** `amd64` or `arm64`. */
export const ARCH_LABEL = 'kubernetes.io/arch';
/** `linux` or `windows`. */
export const OS_LABEL = 'kubernetes.io/os';
/** Name of the Node itself: known only once it runs, so nobody may ask for it beforehand. */
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';
/** One of `WINDOWS_BUILDS`, on Windows Nodes. */
export const WINDOWS_BUILD_LABEL = 'node.kubernetes.io/windows-build';
/** Set to `karpenter` on a draining Node, so that load balancers stop sending to it. */
export const EXCLUDE_FROM_LOAD_BALANCERS_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** The closed set of `karpenter.sh/capacity-type` values. */
export const CAPACITY_TYPES = ['on-demand', 'reserved', 'spot'] as const;
/** How an instance is bought. */
export type CapacityType = (typeof CAPACITY_TYPES)[number];

/** Labels whose values differ between the offerings of one instance type on every provider. */
export const OFFERING_LABELS: ReadonlySet<string> = new Set([ZONE_LABEL, CAPACITY_TYPE_LABEL]);

/** The build number that tells one Windows release from another in `node.kubernetes.io/windows-build`. */
export const WINDOWS_BUILDS = { 2019: '10.0.17763', 2022: '10.0.20348', 2025: '10.0.26100' } as const;

/** Labels of AWS Nodes that NodePools and pods may select on. The reservation ones exist on reserved Nodes only. */
export const AWS_LABELS = {
  capacityReservationId: 'karpenter.k8s.aws/capacity-reservation-id',
  capacityReservationType: 'karpenter.k8s.aws/capacity-reservation-type',
  capacityReservationInterruptible: 'karpenter.k8s.aws/capacity-reservation-interruptible',
  instanceHypervisor: 'karpenter.k8s.aws/instance-hypervisor',
  instanceEncryptionInTransitSupported: 'karpenter.k8s.aws/instance-encryption-in-transit-supported',
  instanceCategory: 'karpenter.k8s.aws/instance-category',
  instanceCapabilityFlex: 'karpenter.k8s.aws/instance-capability-flex',
  instanceFamily: 'karpenter.k8s.aws/instance-family',
  instanceGeneration: 'karpenter.k8s.aws/instance-generation',
  instanceSize: 'karpenter.k8s.aws/instance-size',
  instanceLocalNvmeGib: 'karpenter.k8s.aws/instance-local-nvme',
  instanceCpu: 'karpenter.k8s.aws/instance-cpu',
  instanceCpuManufacturer: 'karpenter.k8s.aws/instance-cpu-manufacturer',
  instanceCpuSustainedClockSpeedMhz: 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz',
  instanceMemoryMib: 'karpenter.k8s.aws/instance-memory',
  instanceEbsBandwidthMbps: 'karpenter.k8s.aws/instance-ebs-bandwidth',
  instanceNetworkBandwidthMbps: 'karpenter.k8s.aws/instance-network-bandwidth',
  instanceGpuName: 'karpenter.k8s.aws/instance-gpu-name',
  instanceGpuManufacturer: 'karpenter.k8s.aws/instance-gpu-manufacturer',
  instanceGpuCount: 'karpenter.k8s.aws/instance-gpu-count',
  instanceGpuMemoryMib: 'karpenter.k8s.aws/instance-gpu-memory',
  instanceAcceleratorName: 'karpenter.k8s.aws/instance-accelerator-name',
  instanceAcceleratorManufacturer: 'karpenter.k8s.aws/instance-accelerator-manufacturer',
  instanceAcceleratorCount: 'karpenter.k8s.aws/instance-accelerator-count',
  instanceTenancy: 'karpenter.k8s.aws/instance-tenancy',
  placementGroupId: 'karpenter.k8s.aws/placement-group-id',
  placementGroupPartition: 'karpenter.k8s.aws/placement-group-partition',
  zoneId: 'topology.k8s.aws/zone-id',
} as const;

/** Labels of KWOK Nodes that NodePools and pods may select on. */
export const KWOK_LABELS = {
  instanceSize: 'karpenter.kwok.sh/instance-size',
  instanceFamily: 'karpenter.kwok.sh/instance-family',
  instanceMemory: 'karpenter.kwok.sh/instance-memory',
  instanceCpu: 'karpenter.kwok.sh/instance-cpu',
} as const;

/** Labels that exist on KWOK Nodes alone: no NodePool may ask for them. `node` is always `fake`. */
export const KWOK_NODE_LABELS = {
  node: 'kwok.x-k8s.io/node',
  instancePrice: 'eks-node-viewer/instance-price',
  partition: 'kwok-partition',
} as const;

/** The label that carries the NodeClass name on NodeClaims and Nodes, e.g. `karpenter.k8s.aws/ec2nodeclass`. */
export function nodeClassLabel(nodeClass: { readonly group: string; readonly kind: string }): string {
  return `${nodeClass.group}/${nodeClass.kind.toLowerCase()}`;
}
