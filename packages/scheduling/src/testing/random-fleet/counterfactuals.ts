// What random fleets would be without one of the planner's rules: where the plan is then another, the rule was binding.
import type { NodePool } from '@karpenter-ts/apis';
import type { Container, Pod, PodAffinity, PodSpec, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import type { ExistingNode, Offering, Snapshot } from '../../snapshot.ts';
import type { RandomFleet } from './fleet.ts';

/** The same fleet with a rule left out. */
type Without = (fleet: RandomFleet) => RandomFleet;

/** By the rule that is left out. */
export const COUNTERFACTUALS: Readonly<Record<string, Without>> = {
  // Pools and types (spec 02 §§7, 19–22)
  'pool requirements': inPoolSpec((spec) => ({ ...spec, requirements: [] })),
  minValues: inPoolSpec((spec) => ({ ...spec, requirements: spec.requirements.map(less('minValues')) })),
  'pool weights': inPools(less('weight')),
  'pool limits': inPools(less('limits')),
  taints: (fleet) => inNodes(untainted)(inPoolSpec((spec) => ({ ...spec, taints: [] }))(fleet)),
  reservations: ({ snapshot, options }) => ({ snapshot, options: { ...options, reservedCapacity: 'Off' } }),
  'unavailable offerings': inOfferings((offering) => ({ ...offering, available: true })),
  'capacity overrides': inOfferings(less('capacityOverride')),
  'overhead overrides': inOfferings(less('overheadOverride')),
  'type overhead': inTypes((type) => ({ ...type, overhead: {} })),
  'truncated type lists': ({ snapshot, options }) => ({ snapshot, options: { ...options, maxInstanceTypes: 600 } }),

  // What is there (§§7.8, 12, 14)
  'existing nodes': inSnapshot((snapshot) => ({ ...snapshot, nodes: [] })),
  'nodes not ready': inNodes((node) => ({ ...node, initialized: true })),
  residents: inNodes((node) => ({ ...node, pods: [] })),
  'terminating residents': inNodes((node) => ({
    ...node,
    pods: node.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
  })),
  'pods of nodes being deleted': inSnapshot((snapshot) => ({
    ...snapshot,
    pods: snapshot.pods.filter(({ spec }) => spec.nodeName === undefined),
  })),
  daemons: inSnapshot((snapshot) => ({ ...snapshot, daemonPods: [] })),
  'volume limits': inNodes((node) => ({ ...node, volumeLimits: {} })),

  // What pods ask of nodes (§§9–15, 18)
  preferences: ({ snapshot, options }) => ({ snapshot, options: { ...options, preferencePolicy: 'Ignore' } }),
  'node selectors': inPending(less('nodeSelector')),
  'node affinity': inAffinity('nodeAffinity', () => ({})),
  'alternatives of node affinity': inAffinity(
    'nodeAffinity',
    ({ requiredDuringSchedulingIgnoredDuringExecution: required, ...rest }) => ({
      ...rest,
      ...(required && {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: required.nodeSelectorTerms.slice(0, 1) },
      }),
    }),
  ),
  tolerations: inPending(less('tolerations')),
  'init containers': inPending(less('initContainers')),
  'pod-level requests': inPending(less('resources')),
  'pod overhead': inPending(less('overhead')),
  'claims of devices': inPending(less('resourceClaims')),
  'host ports': inPods((spec) => ({
    ...spec,
    ...(spec.containers && { containers: spec.containers.map(less<Container>('ports')) }),
  })),
  volumes: inPending(less('volumes')),

  // What pods ask of each other (§16)
  spread: inPending(less('topologySpreadConstraints')),
  minDomains: inSpread(less('minDomains')),
  matchLabelKeys: inSpread(less('matchLabelKeys')),
  nodeAffinityPolicy: inSpread(less('nodeAffinityPolicy')),
  nodeTaintsPolicy: inSpread(less('nodeTaintsPolicy')),
  'pod affinity': inAffinity('podAffinity', () => ({})),
  'pod anti-affinity': inAffinity('podAntiAffinity', () => ({})),
  'anti-affinity of residents': inNodes((node) => ({ ...node, pods: node.pods.map(withSpec(less('affinity'))) })),
  'namespaces of terms': inTerms(less('namespaces', 'namespaceSelector')),
};

function less<T extends object>(...keys: readonly (keyof T & string)[]): (object: T) => T {
  const gone: readonly string[] = keys;
  return (object) => Object.fromEntries(Object.entries(object).filter(([key]) => !gone.includes(key))) as T;
}

function inSnapshot(change: (snapshot: Snapshot) => Snapshot): Without {
  return ({ snapshot, options }) => ({ snapshot: change(snapshot), options });
}

function inPools(change: (spec: NodePool['spec']) => NodePool['spec']): Without {
  return inSnapshot((snapshot) => ({
    ...snapshot,
    pools: snapshot.pools.map(({ nodePool, instanceTypes }) => ({
      nodePool: { ...nodePool, spec: change(nodePool.spec) },
      instanceTypes,
    })),
  }));
}

type PoolSpec = NodePool['spec']['template']['spec'];

function inPoolSpec(change: (spec: PoolSpec) => PoolSpec): Without {
  return inPools((spec) => ({ ...spec, template: { ...spec.template, spec: change(spec.template.spec) } }));
}

type Type = Snapshot['pools'][number]['instanceTypes'][number];

function inTypes(change: (type: Type) => Type): Without {
  return inSnapshot((snapshot) => ({
    ...snapshot,
    pools: snapshot.pools.map(({ nodePool, instanceTypes }) => ({
      nodePool,
      instanceTypes: instanceTypes.map(change),
    })),
  }));
}

function inOfferings(change: (offering: Offering) => Offering): Without {
  return inTypes((type) => ({ ...type, offerings: type.offerings.map(change) }));
}

function inNodes(change: (node: ExistingNode) => ExistingNode): Without {
  return inSnapshot((snapshot) => ({
    ...snapshot,
    nodes: snapshot.nodes.map(change),
    deletingNodes: snapshot.deletingNodes.map(change),
  }));
}

function untainted(node: ExistingNode): ExistingNode {
  return { ...node, taints: [], node: node.node && { ...node.node, taints: [] } };
}

/** In the pods to be placed. */
function inPending(change: (spec: PodSpec) => PodSpec): Without {
  return inSnapshot((snapshot) => ({ ...snapshot, pods: snapshot.pods.map(withSpec(change)) }));
}

/** In all pods, daemons and residents too. */
function inPods(change: (spec: PodSpec) => PodSpec): Without {
  const inResidents = inNodes((node) => ({ ...node, pods: node.pods.map(withSpec(change)) }));
  const inRest = inSnapshot((snapshot) => ({
    ...snapshot,
    pods: snapshot.pods.map(withSpec(change)),
    daemonPods: snapshot.daemonPods.map(withSpec(change)),
  }));
  return (fleet) => inResidents(inRest(fleet));
}

function withSpec(change: (spec: PodSpec) => PodSpec): (pod: Pod) => Pod {
  return ({ spec, ...pod }) => ({ ...pod, spec: change(spec) });
}

function inSpread(change: (constraint: TopologySpreadConstraint) => TopologySpreadConstraint): Without {
  return inPending(({ topologySpreadConstraints, ...spec }) => ({
    ...spec,
    ...(topologySpreadConstraints && { topologySpreadConstraints: topologySpreadConstraints.map(change) }),
  }));
}

type Affinity = NonNullable<PodSpec['affinity']>;

function inAffinity<K extends keyof Affinity>(
  kind: K,
  change: (part: NonNullable<Affinity[K]>) => Affinity[K],
): Without {
  return inPending(({ affinity, ...spec }) => {
    const part = affinity?.[kind];
    return { ...spec, ...(affinity && { affinity: { ...affinity, ...(part && { [kind]: change(part) }) } }) };
  });
}

type Term = NonNullable<PodAffinity['requiredDuringSchedulingIgnoredDuringExecution']>[number];

function inTerms(change: (term: Term) => Term): Without {
  const inEach = ({
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  }: PodAffinity): PodAffinity => ({
    requiredDuringSchedulingIgnoredDuringExecution: required?.map(change),
    preferredDuringSchedulingIgnoredDuringExecution: preferred?.map(({ weight, podAffinityTerm }) => ({
      weight,
      podAffinityTerm: change(podAffinityTerm),
    })),
  });
  return (fleet) => inAffinity('podAffinity', inEach)(inAffinity('podAntiAffinity', inEach)(fleet));
}
