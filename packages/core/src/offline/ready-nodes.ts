import { HOSTNAME_LABEL, INITIALIZED_LABEL, type NodeClaim, REGISTERED_LABEL } from '@karpenter-ts/apis';
import { type Node, READY, timestamp } from '@karpenter-ts/kubernetes';
import { HOUR, type Instant } from '@karpenter-ts/runtime';
import type { OfflineCluster } from './offline-cluster.ts';

type ClaimConditions = NonNullable<NodeClaim['status']>['conditions'];

/** Long enough ago that no window of `consolidateAfter` in use is still open. */
const READY_SINCE = 24 * HOUR;

/** Lets every NodeClaim that was launched finish: its Node appears, registers and becomes initialized. */
export function makeReady(cluster: OfflineCluster): void {
  const { caches, clock } = cluster;
  for (const nodeClaim of caches.nodeClaims.list()) {
    const { providerID = '' } = nodeClaim.status ?? {};
    if (providerID === '') continue;
    const [node] = caches.nodes.byIndex('providerId', providerID);
    if (node?.metadata.labels?.[INITIALIZED_LABEL] === 'true') continue;
    caches.nodes.put(readyNode(nodeClaim, node, clock.now()));
    caches.nodeClaims.put(readyClaim(nodeClaim, clock.now()));
  }
}

function readyNode({ metadata, spec, status }: NodeClaim, node: Node | undefined, now: Instant): Node {
  const name = node?.metadata.name ?? metadata.name;
  const creationTimestamp = timestamp(now);
  return {
    ...node,
    metadata: {
      ...(node?.metadata ?? { uid: name, creationTimestamp, annotations: metadata.annotations }),
      name,
      labels: {
        [HOSTNAME_LABEL]: name,
        ...node?.metadata.labels,
        ...metadata.labels,
        [REGISTERED_LABEL]: 'true',
        [INITIALIZED_LABEL]: 'true',
      },
    },
    spec: { ...node?.spec, providerID: status?.providerID, taints: spec.taints ?? [] },
    status: {
      ...node?.status,
      capacity: status?.capacity,
      allocatable: status?.allocatable,
      conditions: [{ type: READY, status: 'True' }],
    },
  };
}

function readyClaim(nodeClaim: NodeClaim, now: Instant): NodeClaim {
  const { lastPodEventTime: _, ...status } = nodeClaim.status ?? {};
  return { ...nodeClaim, status: { ...status, conditions: readyConditions(status.conditions ?? [], now) } };
}

/** The conditions of a NodeClaim that has been ready for a long time. */
export function readyConditions(conditions: NonNullable<ClaimConditions>, now: Instant): NonNullable<ClaimConditions> {
  const lastTransitionTime = timestamp(now - READY_SINCE);
  const others = conditions.filter(({ type }) => !READY_CONDITIONS.includes(type));
  return [
    ...others.map((condition) => ({ ...condition, lastTransitionTime })),
    ...READY_CONDITIONS.map((type) => ({
      type,
      status: 'True' as const,
      reason: type,
      message: '',
      lastTransitionTime,
    })),
  ];
}

const READY_CONDITIONS: readonly string[] = ['Launched', 'Registered', 'Initialized', 'Consolidatable'];
