import type { DaemonSet, Node, Pod, PodSpec, PodTemplate, Toleration } from '@karpenter-ts/kubernetes';
import { fitsAffinity, hasUntolerated } from '../node-fit.ts';

/** Whether a set wants a pod on a node. `stay`: no new pod, but an existing one may remain. */
export type Placement = 'run' | 'stay' | 'none';

const NODE_NAME = 'metadata.name';
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** The tolerations of every daemon pod, so that it also runs on nodes with problems. */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const HOST_NETWORK_TOLERATION: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** On which nodes a set's pods belong. Free capacity is not considered: the scheduler checks it. */
export function placementOn({ spec }: DaemonSet, node: Node): Placement {
  return placePod(spec.template.spec, daemonTolerations(spec.template.spec), node);
}

/** `placementOn` for many nodes, by their names. */
export function placementsOn({ spec }: DaemonSet, nodes: readonly Node[]): ReadonlyMap<string, Placement> {
  const tolerations = daemonTolerations(spec.template.spec);
  return new Map(nodes.map((node) => [node.metadata.name, placePod(spec.template.spec, tolerations, node)]));
}

function placePod(pod: PodSpec, tolerations: readonly Toleration[], node: Node): Placement {
  if (pod.nodeName && pod.nodeName !== node.metadata.name) return 'none';
  if (!fitsAffinity(pod, node)) return 'none';
  const taints = node.spec?.taints;
  if (!hasUntolerated(taints, tolerations, ['NoSchedule', 'NoExecute'])) return 'run';
  return hasUntolerated(taints, tolerations, ['NoExecute']) ? 'none' : 'stay';
}

function daemonTolerations({ tolerations = [], hostNetwork }: PodSpec): readonly Toleration[] {
  const added = hostNetwork ? [...DAEMON_TOLERATIONS, HOST_NETWORK_TOLERATION] : DAEMON_TOLERATIONS;
  const isAdded = ({ key, operator, value, effect }: Toleration): boolean =>
    !value && added.some((each) => each.key === key && each.operator === operator && each.effect === effect);
  return [...tolerations.filter((toleration) => !isAdded(toleration)), ...added];
}

/** The node a pod is bound to, or was created for. */
export function targetOf({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields);
  return fields.find(({ key, operator }) => key === NODE_NAME && operator === 'In')?.values?.[0];
}

/** The pod template for a node, with node affinity to this node only. */
export function templateFor(set: DaemonSet, node: string, hash: string): PodTemplate {
  const { metadata, spec } = set.spec.template;
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
  const term = { matchFields: [{ key: NODE_NAME, operator: 'In', values: [node] }] };
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata?.labels,
        ...(generation && { 'pod-template-generation': generation }),
        'controller-revision-hash': hash,
      },
    },
    spec: {
      ...spec,
      tolerations: daemonTolerations(spec),
      affinity: {
        ...spec.affinity,
        nodeAffinity: {
          ...spec.affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
        },
      },
    },
  };
}

/** Whether a pod has the set's current template. */
export function isUpToDate({ metadata }: DaemonSet, pod: Pod, hash: string): boolean {
  const generation = metadata.annotations?.[TEMPLATE_GENERATION];
  const { labels = {} } = pod.metadata;
  const isGeneration = generation !== undefined && labels['pod-template-generation'] === generation;
  return labels['controller-revision-hash'] === hash || isGeneration;
}
