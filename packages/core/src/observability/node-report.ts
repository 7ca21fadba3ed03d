import type { Instant } from '@karpenter-ts/runtime';
import { podLimits, podRequests } from '@karpenter-ts/scheduling';
import type { StateNode } from '../state/state-node.ts';
import { addAmounts, type AmountReader, type Amounts, type Node, subtractAmounts } from '@karpenter-ts/kubernetes';
import { isDaemonPod } from '../kinds/pod.ts';
import type { NodeAmount } from './node-metrics.ts';
import { type ResourceSample, resourceSamples } from './resource-samples.ts';

/** What metrics show of a Node. */
export interface NodeReport {
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly samples: Readonly<Record<NodeAmount, readonly ResourceSample[]>>;
  /** The Node's part of the cluster's utilisation. */
  readonly share: { readonly allocatable: Amounts; readonly requested: Amounts };
}

/** A state node whose Node exists. */
export interface JoinedNode extends StateNode {
  readonly node: Node;
}

/** Computes the metrics of a Node and its pods. `sources`: Node labels by the name of the gauge label. */
export function reportNode(
  { node, nodeClaim, existing }: JoinedNode,
  sources: ReadonlyMap<string, string>,
  reader: AmountReader,
): NodeReport {
  const { capacity, allocatable } = { capacity: {}, allocatable: {}, ...node.status };
  const daemons = existing.pods.filter(isDaemonPod);
  const requested = addAmounts(...existing.pods.map((pod) => podRequests(pod, reader)));
  const limits = addAmounts(...existing.pods.map((pod) => podLimits(pod, reader)));
  const offered = reader.read(allocatable);
  return {
    labels: {
      ...labelsOf(node, sources),
      node_name: node.metadata.name,
      phase: node.status?.phase ?? '',
      managed: String(nodeClaim !== undefined),
    },
    createdAt: Date.parse(node.metadata.creationTimestamp ?? ''),
    samples: {
      allocatable: resourceSamples(offered),
      podRequests: resourceSamples(requested),
      podLimits: resourceSamples(limits),
      daemonRequests: resourceSamples(addAmounts(...daemons.map((pod) => podRequests(pod, reader)))),
      daemonLimits: resourceSamples(addAmounts(...daemons.map((pod) => podLimits(pod, reader)))),
      systemOverhead: resourceSamples(subtractAmounts(reader.read(capacity), offered)),
    },
    share: { allocatable: reader.read(existing.allocatable), requested },
  };
}

function labelsOf({ metadata }: Node, sources: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(sources, ([name, key]) => [name, metadata.labels?.[key] ?? '']));
}
