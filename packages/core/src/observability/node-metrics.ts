import type { ProviderProfile } from '@karpenter-ts/apis';
import { defineGauge, type GaugeDefinition } from '@karpenter-ts/runtime';

/** What of a Node's resources is shown. */
export type NodeAmount =
  | 'allocatable'
  | 'podRequests'
  | 'podLimits'
  | 'daemonRequests'
  | 'daemonLimits'
  | 'systemOverhead';

/** Gauges of Nodes, and how their labels come from those of a Node. */
export interface NodeMetrics {
  /** The label of a Node behind each label of the gauges that has one. */
  readonly sources: ReadonlyMap<string, string>;
  readonly amounts: Readonly<Record<NodeAmount, GaugeDefinition>>;
  readonly lifetimeSeconds: GaugeDefinition;
}

export const clusterUtilization = defineGauge(
  'karpenter_cluster_utilization_percent',
  ['resource_type'],
  'Utilization of allocatable resources by pod requests',
);

/** With a label for every well-known one of the provider that has a prefix, named by what follows it (spec 05 §4.2). */
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
