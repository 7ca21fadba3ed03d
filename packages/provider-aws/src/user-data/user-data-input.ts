import {
  CAPACITY_TYPE_LABEL,
  DO_NOT_SYNC_TAINTS_LABEL,
  type EC2NodeClass,
  mergeTaints,
  type NodeClaim,
  resolveAmiFamily,
  UNREGISTERED_TAINT,
} from '@karpenter-ts/apis';
import type { Taint } from '@karpenter-ts/kubernetes';
import type { JoinedCluster } from '../cluster/cluster-facts.ts';
import type { KubeletConfiguration, NodeClassSpec } from '../node-class/node-class-parts.ts';
import { findBottlerocketVersion } from './bottlerocket-version.ts';

/** All that user data is made of. */
export interface UserDataInput {
  /** The effective AMI family. */
  readonly family: string;
  readonly cluster: JoinedCluster;
  /** The user data of the NodeClass. */
  readonly custom: string | undefined;
  /** With the numbers that hold for this instance type: see `kubeletFor`. */
  readonly kubelet: KubeletConfiguration;
  /** Only those that a kubelet may set itself. */
  readonly labels: Readonly<Record<string, string>>;
  /** All of them, in their order. */
  readonly taints: readonly Taint[];
  readonly instanceStorePolicy: NodeClassSpec['instanceStorePolicy'];
  /** The release of Bottlerocket, such as `v1.46.0`; undefined if it is not known. */
  readonly bottlerocketVersion?: string | undefined;
}

/** What decides the user data of one launch template. */
export interface UserDataRequest {
  readonly nodeClass: Pick<EC2NodeClass, 'spec' | 'status'>;
  readonly nodeClaim: {
    readonly labels: Readonly<Record<string, string>>;
    readonly taints: readonly Taint[];
    readonly startupTaints: readonly Taint[];
  };
  readonly capacityType: string;
  readonly cluster: JoinedCluster;
  /** Capacity for pods of the instance types of this template. */
  readonly pods: number;
}

/** What the NodeClass, the NodeClaim and the cluster ask of an instance with room for this many pods. */
export function userDataInput({ nodeClass, nodeClaim, capacityType, cluster, pods }: UserDataRequest): UserDataInput {
  const spec: Partial<NodeClassSpec> = nodeClass.spec ?? {};
  const family = resolveAmiFamily(spec);
  return {
    family,
    cluster,
    custom: spec.userData,
    kubelet: kubeletFor(spec.kubelet, { pods, kubeDnsIp: cluster.kubeDnsIp }),
    labels: kubeletLabels(launchLabels(nodeClaim.labels, { capacityType, family })),
    taints: launchTaints(nodeClaim),
    instanceStorePolicy: spec.instanceStorePolicy,
    bottlerocketVersion: findBottlerocketVersion(spec.amiSelectorTerms ?? [], nodeClass.status?.amis ?? []),
  };
}

/** The kubelet's settings with a concrete number of pods, and with the address of the cluster DNS if that is known. */
function kubeletFor(
  kubelet: KubeletConfiguration | undefined,
  { pods, kubeDnsIp }: { readonly pods: number; readonly kubeDnsIp: string | undefined },
): KubeletConfiguration {
  const clusterDNS = kubelet?.clusterDNS?.length ? kubelet.clusterDNS : kubeDnsIp && [kubeDnsIp];
  return { ...kubelet, maxPods: kubelet?.maxPods ?? pods, ...(clusterDNS && { clusterDNS }) };
}

/** The labels of a Node that is about to be launched. */
export function launchLabels(
  labels: Readonly<Record<string, string>>,
  { capacityType, family }: { readonly capacityType: string; readonly family: string },
): Readonly<Record<string, string>> {
  return {
    ...labels,
    [CAPACITY_TYPE_LABEL]: capacityType,
    // Other families set the taints at boot. If Karpenter set them too, a startup taint could come back after its removal.
    ...(family !== 'Custom' && { [DO_NOT_SYNC_TAINTS_LABEL]: 'true' }),
  };
}

/** Domains in which the API server lets no kubelet set labels of its choice. */
const FORBIDDEN_DOMAINS = ['node-restriction.kubernetes.io', 'kubernetes.io', 'k8s.io'];

/** The labels that a kubelet may set itself. Karpenter sets the others when the Node registers. */
function kubeletLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !isForbidden(key)));
}

function isForbidden(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  return FORBIDDEN_DOMAINS.some((forbidden) => domain === forbidden || domain.endsWith(`.${forbidden}`));
}

/** The taints of a Node that is about to be launched. Its pods wait until it is registered. */
function launchTaints({
  taints,
  startupTaints,
}: Pick<UserDataRequest['nodeClaim'], 'taints' | 'startupTaints'>): readonly Taint[] {
  return mergeTaints([...taints, ...startupTaints], [UNREGISTERED_TAINT]);
}

/** The part of a NodeClaim that user data depends on. */
export function userDataClaim({ metadata, spec }: Pick<NodeClaim, 'metadata' | 'spec'>): UserDataRequest['nodeClaim'] {
  return { labels: metadata.labels ?? {}, taints: spec.taints ?? [], startupTaints: spec.startupTaints ?? [] };
}
