import type { Node } from '@karpenter-ts/kubernetes';

/** What a simulated node may differ in; the defaults describe a small node. */
export interface SimulatedNode {
  readonly name: string;
  readonly zone?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A node as its kubelet would register it. It has KWOK's annotation, so that a simulated kubelet runs it. */
export function simulatedNode(options: SimulatedNode): Node {
  const { name, zone = 'zone-a', cpu = '4', memory = '16Gi', pods = '110', labels = {} } = options;
  const capacity = { cpu, memory, pods, 'ephemeral-storage': '100Gi' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': 'simulated',
        'topology.kubernetes.io/zone': zone,
        ...labels,
      },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
    status: { capacity, allocatable: capacity },
  };
}
