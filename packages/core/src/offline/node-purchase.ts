import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  type NodePool,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { type Node, READY, timestamp } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';
import {
  allocatableResources,
  compatibleOfferings,
  type InstanceType,
  launchChoices,
  type PlannedNode,
} from '@karpenter-ts/scheduling';
import { toNodeClaim } from '../provisioning/planned-nodeclaim.ts';
import type { OfflineProvider } from './offline-provider.ts';
import { readyConditions } from './ready-nodes.ts';

/** What is bought for a planned node. */
export interface Purchase {
  readonly instanceType: InstanceType;
  readonly zone: string;
  readonly capacityType: string;
  readonly pricePerHour: number;
}

/**
 * The cheapest available offering that meets the plan, of types that are not its last resorts; undefined if there is none. Of
 * equal ones the first by name.
 */
export function findPurchase(planned: PlannedNode, { profile, catalogue }: OfflineProvider): Purchase | undefined {
  const { requirements } = planned;
  const names = new Set(launchChoices(planned));
  const admitted = catalogue.filter(({ name }) => names.has(name));
  const purchases = admitted.flatMap((instanceType) =>
    compatibleOfferings(instanceType, requirements, profile).map((offering): Purchase => {
      const valueOf = (label: string) => offering.requirements.find(({ key }) => key === label)?.values?.[0] ?? '';
      const { pricePerHour } = offering;
      return { instanceType, zone: valueOf(ZONE_LABEL), capacityType: valueOf(CAPACITY_TYPE_LABEL), pricePerHour };
    }),
  );
  return purchases.sort(
    (a, b) =>
      a.pricePerHour - b.pricePerHour ||
      compare(a.instanceType.name, b.instanceType.name) ||
      compare(a.zone, b.zone) ||
      compare(a.capacityType, b.capacityType),
  )[0];
}

/** What a purchase is made for. */
export interface Order {
  readonly planned: PlannedNode;
  readonly nodePool: NodePool;
  readonly purchase: Purchase;
  readonly name: string;
  readonly now: Instant;
}

/** The NodeClaim and the Node of a purchase that is running already. */
export function toReadyNode(
  { planned, nodePool, purchase, name, now }: Order,
  provider: OfflineProvider,
): { readonly nodeClaim: NodeClaim; readonly node: Node } {
  const { instanceType, zone, capacityType } = purchase;
  const pool = { nodePool, instanceTypes: provider.catalogue };
  const ordered = toNodeClaim(planned, pool, { provider, random: () => 0 });
  const labels = {
    ...ordered.metadata.labels,
    ...onlyValues(instanceType),
    [INSTANCE_TYPE_LABEL]: instanceType.name,
    [ZONE_LABEL]: zone,
    [CAPACITY_TYPE_LABEL]: capacityType,
    [HOSTNAME_LABEL]: name,
  };
  const { capacity } = instanceType;
  const allocatable = allocatableResources(instanceType);
  const providerID = `offline:///${zone}/${name}`;
  const creationTimestamp = timestamp(now);
  return {
    nodeClaim: {
      ...ordered,
      metadata: { name, uid: `${name}-claim`, creationTimestamp, labels, annotations: ordered.metadata.annotations },
      status: { providerID, nodeName: name, capacity, allocatable, conditions: readyConditions([], now) },
    },
    node: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        uid: name,
        creationTimestamp,
        labels: { ...labels, [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' },
        annotations: ordered.metadata.annotations,
      },
      spec: { providerID, taints: ordered.spec.taints ?? [] },
      status: { capacity, allocatable, conditions: [{ type: READY, status: 'True' }] },
    },
  };
}

/** The labels that an instance of the type certainly has. */
function onlyValues({ requirements }: InstanceType): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const { key, operator, values = [] } of requirements) {
    if (operator === 'In' && values.length === 1) labels[key] = values[0]!;
  }
  return labels;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
