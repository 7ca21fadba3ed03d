import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  type NodePool,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type {
  CsiNode,
  DaemonSet,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ResourceList,
  StorageClass,
  Taint,
} from '@karpenter-ts/kubernetes';
import type { ProviderProfile } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';

/** A whole cluster: its objects as the API server holds them, and what the provider offers. */
export interface Cluster {
  readonly nodePools: readonly NodePool[];
  readonly nodes: readonly Node[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly pods: readonly Pod[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly daemonSets: readonly DaemonSet[];
  readonly storageClasses: readonly StorageClass[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly csiNodes: readonly CsiNode[];
  /** The same for every NodePool. */
  readonly instanceTypes: readonly InstanceType[];
  readonly profile: ProviderProfile;
}

/** A cluster of nothing, to be spread under the parts one has. */
export const NO_OBJECTS: Omit<Cluster, 'instanceTypes' | 'profile'> = {
  nodePools: [],
  nodes: [],
  nodeClaims: [],
  pods: [],
  podDisruptionBudgets: [],
  daemonSets: [],
  storageClasses: [],
  persistentVolumes: [],
  persistentVolumeClaims: [],
  csiNodes: [],
};

/** When everything was created: hours ago at any time the bench runs. */
export const CREATED_AT = '2026-08-01T00:00:00Z';

const NODE_CLASS = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };

/** Ready, with nodes that any number of may be consolidated at once as soon as their pods have not changed for 0 s. */
export function readyNodePool(name: string, template: Partial<NodePool['spec']['template']['spec']> = {}): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name, uid: `uid-of-${name}`, creationTimestamp: CREATED_AT, generation: 1 },
    spec: {
      disruption: {
        budgets: [{ nodes: '100%' }],
        consolidateAfter: '0s',
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
      },
      template: { spec: { nodeClassRef: NODE_CLASS, requirements: [], expireAfter: 'Never', ...template } },
    },
    status: { nodes: 0, conditions: ['ValidationSucceeded', 'NodeClassReady', 'Ready'].map(trueCondition) },
  };
}

/** What is particular about a node. */
export interface NodeParts {
  readonly name: string;
  readonly nodePool: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[] | undefined;
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

/** An initialized Node. */
export function initializedNode({ name, labels, taints, capacity, allocatable }: NodeParts): Node {
  return {
    metadata: { name, uid: `uid-of-${name}`, creationTimestamp: CREATED_AT, labels },
    spec: { providerID: providerIdOf(name), taints },
    status: { capacity, allocatable, conditions: [trueCondition('Ready')] },
  };
}

/** The NodeClaim of an initialized Node, with the condition Consolidatable. */
export function consolidatableNodeClaim({ name, labels, capacity, allocatable }: NodeParts): NodeClaim {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: `claim-of-${name}`, uid: `uid-of-claim-of-${name}`, creationTimestamp: CREATED_AT, labels },
    spec: {
      nodeClassRef: NODE_CLASS,
      expireAfter: 'Never',
      requirements: [INSTANCE_TYPE_LABEL, ZONE_LABEL, CAPACITY_TYPE_LABEL].map((key) => ({
        key,
        operator: 'In',
        values: [labels[key] ?? ''],
      })),
    },
    status: {
      nodeName: name,
      providerID: providerIdOf(name),
      capacity,
      allocatable,
      conditions: ['Launched', 'Registered', 'Initialized', 'Ready', 'Consolidatable'].map(trueCondition),
    },
  };
}

function providerIdOf(node: string): string {
  return `kwok://${node}`;
}

function trueCondition(type: string) {
  const status = 'True' as const;
  return { type, status, reason: type, message: '', lastTransitionTime: CREATED_AT, observedGeneration: 1 };
}
