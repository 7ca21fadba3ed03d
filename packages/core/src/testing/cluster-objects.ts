// Objects of a cluster at work: pending and running pods, ready NodePools, Nodes and NodeClaims in every state.
import {
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  type NodePool,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
} from '@karpenter-ts/apis';
import type { Node, Pod, ResourceList, Taint } from '@karpenter-ts/kubernetes';
import { makeNode, makeNodeClaim, makeNodePool, makePod } from './objects.ts';

type Labels = Readonly<Record<string, string>>;

type PodParts = NonNullable<Parameters<typeof makePod>[1]> & { readonly requests?: ResourceList };

/** A pending pod that kube-scheduler could not place. */
export function pendingPod(name: string, parts: PodParts = {}): Pod {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
  return podOf(name, { status: { phase: 'Pending', conditions }, ...parts });
}

/** A pod that runs on a node. */
export function runningPod(name: string, nodeName: string, parts: PodParts = {}): Pod {
  return podOf(name, { status: { phase: 'Running' }, ...parts, nodeName });
}

function podOf(name: string, { requests = {}, ...parts }: PodParts): Pod {
  const container = { name: 'main', image: 'main:1', resources: { requests } };
  return makePod(name, { containers: [container], ...parts });
}

/** The owner reference of a pod of an `apps/v1` workload. */
export function ownedBy(kind: string, uid = `uid-of-${kind}`): NonNullable<Pod['metadata']['ownerReferences']> {
  return [{ apiVersion: 'apps/v1', kind, name: 'owner', uid, controller: true }];
}

/** A ready NodePool. */
export function readyPool(name: string, parts: Parameters<typeof makeNodePool>[1] = {}): NodePool {
  return { ...makeNodePool(name, parts), status: { nodes: 0, conditions: [conditionOf('Ready')] } };
}

/** A condition, True by default. */
export function conditionOf(type: string, status: 'True' | 'False' | 'Unknown' = 'True') {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return { type, status, reason: type, message: '', lastTransitionTime, observedGeneration: 1 };
}

interface NodeParts {
  readonly pool?: string;
  readonly capacity?: ResourceList;
  readonly labels?: Labels;
  readonly taints?: readonly Taint[];
  readonly providerId?: string;
}

const SMALL: ResourceList = { cpu: '4', memory: '8Gi', pods: '10' };

/** A NodeClaim, launched unless its provider id is ''. */
export function launchedNodeClaim(name: string, parts: NodeParts = {}): NodeClaim {
  const { pool = 'default', capacity = SMALL, labels, providerId = `fake:///${name}` } = parts;
  return makeNodeClaim(name, {
    labels: { [NODEPOOL_LABEL]: pool, ...labels },
    ...(providerId !== '' && { status: { providerID: providerId, capacity, allocatable: capacity } }),
  });
}

/** The Node `node-of-<nodeClaim>` of a NodeClaim, registered and initialised. */
export function readyNode(nodeClaim: string, { pool = 'default', labels, ...parts }: NodeParts = {}): Node {
  return plainNode(`node-of-${nodeClaim}`, {
    providerId: `fake:///${nodeClaim}`,
    ...parts,
    labels: {
      [NODEPOOL_LABEL]: pool,
      [INSTANCE_TYPE_LABEL]: 'default-instance-type',
      [REGISTERED_LABEL]: 'true',
      [INITIALIZED_LABEL]: 'true',
      ...labels,
    },
  });
}

/** A Node without a NodeClaim. */
export function plainNode(name: string, parts: NodeParts = {}): Node {
  const { capacity = SMALL, labels, taints = [], providerId } = parts;
  return makeNode(name, {
    ...(labels && { labels }),
    ...(providerId && { providerID: providerId }),
    taints,
    status: { capacity, allocatable: capacity },
  });
}
