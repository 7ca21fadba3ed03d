import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodePool,
  NODEPOOL_LABEL,
  type RequirementSpec,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { addAmounts, AmountReader, formatQuantity, type ResourceList } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { CatalogueEntry } from '../fleet/fleet-snapshot.ts';

/** Instance types as a cluster file has them. */
export function catalogueEntries(types: readonly InstanceType[]): readonly CatalogueEntry[] {
  return types.map(({ name, capacity, overhead, requirements, offerings, lastResort }) => ({
    name,
    capacity,
    overhead: sumOf([overhead.kubeReserved, overhead.systemReserved, overhead.evictionThreshold]),
    labels: labelsOf(requirements),
    offerings: offerings.map((offering) => ({
      zone: valueOf(offering.requirements, ZONE_LABEL),
      capacityType: valueOf(offering.requirements, CAPACITY_TYPE_LABEL),
      price: offering.pricePerHour,
      available: offering.available,
    })),
    ...(lastResort && { lastResort }),
  }));
}

/** The built-in catalogue that goes with the NodePools: KWOK's for its NodeClasses, else EC2's. */
export function defaultCatalogue(nodePools: readonly NodePool[]): 'kwok' | 'ec2' {
  const isKwok = ({ spec }: NodePool): boolean => spec.template.spec.nodeClassRef.kind === 'KWOKNodeClass';
  return nodePools.length > 0 && nodePools.every(isKwok) ? 'kwok' : 'ec2';
}

/** Name, zone and capacity type follow from the rest of an entry. */
const OF_ENTRY: ReadonlySet<string> = new Set([INSTANCE_TYPE_LABEL, ZONE_LABEL, CAPACITY_TYPE_LABEL, NODEPOOL_LABEL]);

function labelsOf(requirements: readonly RequirementSpec[]): Readonly<Record<string, readonly string[]>> {
  const labels: Record<string, readonly string[]> = {};
  for (const { key, operator, values = [] } of requirements) {
    if (operator === 'In' && !OF_ENTRY.has(key)) labels[key] = values;
  }
  return labels;
}

function valueOf(requirements: readonly RequirementSpec[], label: string): string {
  return requirements.find(({ key }) => key === label)?.values?.[0] ?? '';
}

function sumOf(lists: readonly (ResourceList | undefined)[]): ResourceList {
  const reader = new AmountReader();
  const total = lists.reduce((sum, list) => addAmounts(sum, reader.read(list)), reader.read({}));
  return Object.fromEntries([...total].map(([name, amount]) => [name, formatQuantity(amount)]));
}
