import {
  apiVersionOf,
  type Node,
  NODES,
  type NodeStatus,
  type ObjectCondition,
  timestamp,
} from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';
import { findCondition } from '../workloads/conditions.ts';
import type { Fault } from './faults.ts';

const VERSION = 'simulated';
const DEFAULT_CAPACITY = { cpu: '32', memory: '256Gi', pods: '110' };

type Sign = Required<Pick<ObjectCondition, 'type' | 'status' | 'reason' | 'message'>>;

/** The conditions of a healthy node. */
const HEALTHY: readonly Sign[] = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated', message: 'RouteController created a route' },
];

/** The conditions the kubelet should report now: the healthy ones, except where a fault replaces them. */
export function signsUnder(faults: readonly Fault[]): readonly Sign[] {
  const broken = faults.filter((fault) => fault.kind === 'unhealthy').map(({ condition }) => condition);
  const types = new Set(broken.map(({ type }) => type));
  return [...HEALTHY.filter(({ type }) => !types.has(type)), ...broken];
}

/** Whether the node's status already has these conditions. */
export function isSaying({ status }: Node, signs: readonly Sign[]): boolean {
  return signs.every((sign) => {
    const known = findCondition(status?.conditions, sign.type);
    return known?.status === sign.status && known.reason === sign.reason && known.message === sign.message;
  });
}

/** The patch of the node's status: the conditions, and whatever the node was created without. */
export function statusPatch(
  { metadata, status }: Node,
  signs: readonly Sign[],
  { newAddress, now }: { readonly newAddress: () => string; readonly now: Instant },
): NodeStatus {
  const at = timestamp(now);
  const conditions = signs.map((sign) => {
    const known = findCondition(status?.conditions, sign.type);
    const since =
      known === undefined ? metadata.creationTimestamp : known.status === sign.status ? known.lastTransitionTime : at;
    return { ...sign, lastHeartbeatTime: at, lastTransitionTime: since ?? at };
  });
  const { architecture, operatingSystem, ...info } = status?.nodeInfo ?? {};
  return {
    phase: 'Running',
    conditions,
    addresses: status?.addresses ?? [
      { type: 'InternalIP', address: newAddress() },
      { type: 'Hostname', address: metadata.name },
    ],
    capacity: status?.capacity ?? DEFAULT_CAPACITY,
    allocatable: status?.allocatable ?? status?.capacity ?? DEFAULT_CAPACITY,
    nodeInfo: {
      architecture: architecture || metadata.labels?.['kubernetes.io/arch'] || 'amd64',
      operatingSystem: operatingSystem || metadata.labels?.['kubernetes.io/os'] || 'linux',
      ...Object.fromEntries(VERSIONS.map((name) => [name, info[name] || VERSION])),
      ...Object.fromEntries(IDS.map((name) => [name, info[name] || ''])),
    },
  };
}

const VERSIONS = ['kubeletVersion', 'kubeProxyVersion', 'containerRuntimeVersion', 'kernelVersion'];
const IDS = ['osImage', 'bootID', 'machineID', 'systemUUID'];

/** The owner reference that makes the garbage collector delete an object with its node. */
export function ownedByNode({ metadata }: Node) {
  const { name, uid = '' } = metadata;
  return { apiVersion: apiVersionOf(NODES), kind: NODES.kind, name, uid };
}
