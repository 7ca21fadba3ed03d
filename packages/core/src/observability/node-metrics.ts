import type { ProviderProfile } from '@karpenter-ts/apis';
import { defineGauge, type GaugeDefinition } from '@karpenter-ts/runtime';

/** The amounts of a Node that metrics show. */
export type NodeAmount =
  | 'allocatable'
  | 'podRequests'
  | 'podLimits'
  | 'daemonRequests'
  | 'daemonLimits'
  | 'systemOverhead';

/** The gauges of Nodes, and the Node labels that their labels come from. */
export interface NodeMetrics {
  /** The Node label by the name of the gauge label. */
  readonly sources: ReadonlyMap<string, string>;
  readonly amounts: Readonly<Record<NodeAmount, GaugeDefinition>>;
  readonly lifetimeSeconds: GaugeDefinition;
}

export const clusterUtilization = defineGauge(
  'karpenter_cluster_utilization_percent',
  ['resource_type'],
  'Utilization of allocatable resources by pod requests',
);

/**
 * The gauges have a label for every prefixed well-known label of the provider, named by the part after the prefix (spec
 * 05 §4.2).
 */
export function nodeMetricsOf({ wellKnownLabels }: Pick<ProviderProfile, 'wellKnownLabels'>): NodeMetrics {
  const sources = new Map([...wellKnownLabels].filter(hasPrefix).map((key) => [shownAs(key), key]));
  const labels = [...sources.keys(), 'node_name', 'phase', 'managed'];
  const amount = (name: string, help: string): GaugeDefinition => defineGauge(name, [...labels, 'resource_type'], help);
  return {
    sources,
    amounts: {
      allocatable: amount('karpenter_nodes_allocatable', 'Node allocatable are the resources allocatable by nodes.'),
      podRequests: amount(
        'karpenter_nodes_total_pod_requests',
        'Node total pod requests are the resources requested by pods bound to nodes, including the DaemonSet pods.',
      ),
      podLimits: amount(
        'karpenter_nodes_total_pod_limits',
        'Node total pod limits are the resources specified by pod limits, including the DaemonSet pods.',
      ),
      daemonRequests: amount(
        'karpenter_nodes_total_daemon_requests',
        'Node total daemon requests are the resource requested by DaemonSet pods bound to nodes.',
      ),
      daemonLimits: amount(
        'karpenter_nodes_total_daemon_limits',
        'Node total daemon limits are the resources specified by DaemonSet pod limits.',
      ),
      systemOverhead: amount(
        'karpenter_nodes_system_overhead',
        "Node system daemon overhead are the resources reserved for system overhead, the difference between the node's " +
          'capacity and allocatable values are reported by the status.',
      ),
    },
    lifetimeSeconds: defineGauge('karpenter_nodes_current_lifetime_seconds', labels, 'Node age in seconds'),
  };
}

function hasPrefix(key: string): boolean {
  return key.split('/').length === 2;
}

function shownAs(key: string): string {
  return key
    .slice(key.indexOf('/') + 1)
    .toLowerCase()
    .replaceAll('-', '_');
}
