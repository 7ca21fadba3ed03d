import {
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  NODEPOOL_LABEL,
} from '@karpenter-ts/apis';
import { isTrue, type ObjectMeta, READY } from '@karpenter-ts/kubernetes';
import type { Cloud } from './cloud.ts';

/** What is read of a v1 Pod. */
export interface SeenPod {
  readonly metadata: ObjectMeta;
  readonly status?: { readonly phase?: string };
}

/** What is read of a v1 Node. */
export interface SeenNode {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly providerID?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** How many pods and nodes there are in which state, and what the nodes cost. */
export interface Figures {
  readonly pods: Readonly<Record<PodState, number>>;
  readonly nodes: Readonly<Record<NodeState, number>>;
  /** Nodes that are there, by `instance-type capacity-type`, the most frequent first. */
  readonly types: readonly (readonly [type: string, count: number])[];
  readonly pricePerHour: number;
}

export type PodState = 'running' | 'pending' | 'terminating';
/** `starting`: ordered, but no node for pods yet. `silent`: was one, but its kubelet is not ready any more. */
export type NodeState = 'ready' | 'starting' | 'silent' | 'terminating';

/** What there is in the cluster. */
export interface Seen {
  readonly pods: readonly SeenPod[];
  readonly nodes: readonly SeenNode[];
  readonly nodeClaims: readonly Pick<NodeClaim, 'metadata' | 'status'>[];
}

/** Pods that have finished do not count. `priceOf` says what a node with these labels costs an hour. */
export function countFigures({ pods, nodes, nodeClaims }: Seen, priceOf: Cloud['priceOf']): Figures {
  const podStates = { running: 0, pending: 0, terminating: 0 };
  for (const pod of pods) {
    const state = podState(pod);
    if (state !== undefined) podStates[state]++;
  }
  const nodeStates = { ready: 0, starting: 0, silent: 0, terminating: 0 };
  const types = new Map<string, number>();
  let pricePerHour = 0;
  for (const node of nodes) {
    nodeStates[nodeState(node)]++;
    const { labels = {} } = node.metadata;
    const type = [labels[INSTANCE_TYPE_LABEL], labels[CAPACITY_TYPE_LABEL]].filter(Boolean).join(' ');
    types.set(type, (types.get(type) ?? 0) + 1);
    pricePerHour += priceOf(labels);
  }
  const providerIds = new Set(nodes.map(({ spec }) => spec?.providerID));
  for (const { metadata, status } of nodeClaims) {
    if (providerIds.has(status?.providerID ?? '')) continue; // its Node was counted
    nodeStates[metadata.deletionTimestamp === undefined ? 'starting' : 'terminating']++;
  }
  return { pods: podStates, nodes: nodeStates, types: mostFrequent(types), pricePerHour };
}

function podState({ metadata, status }: SeenPod): PodState | undefined {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return undefined;
  if (metadata.deletionTimestamp !== undefined) return 'terminating';
  return status?.phase === 'Running' ? 'running' : 'pending';
}

function nodeState(node: SeenNode): NodeState {
  const { metadata } = node;
  if (metadata.deletionTimestamp !== undefined) return 'terminating';
  const { labels = {} } = metadata;
  const isOurs = labels[NODEPOOL_LABEL] !== undefined;
  if (!isOurs || labels[INITIALIZED_LABEL] === 'true') return isTrue(node, READY) ? 'ready' : 'silent';
  return 'starting';
}

function mostFrequent(types: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...types].sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1));
}
