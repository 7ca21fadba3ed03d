import { AWS_LABELS } from '@karpenter-ts/apis';
import { parseQuantity, type ResourceList } from '@karpenter-ts/kubernetes';
import { allocatableResources, type InstanceType } from '@karpenter-ts/scheduling';
import type { Instance } from './instance.ts';

/** The resource of network interfaces for EFA. */
export const EFA_RESOURCE = 'vpc.amazonaws.com/efa';

/** What an instance has of its type. */
export interface TypeData {
  readonly labels: Readonly<Record<string, string>>;
  /** Without zeros, and without interfaces for EFA that the instance does not have. */
  resources(instance: Pick<Instance, 'efaCount'>): TypeResources;
}

interface TypeResources {
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

/** Reads a type once for all of its instances: thousands of them would take a quarter of a second each time. */
export function typeDataOf(type: InstanceType): TypeData {
  const withEfa = {
    capacity: withoutZeros(type.capacity),
    allocatable: withoutZeros(allocatableResources(type)),
  };
  const withoutEfa = { capacity: leaveOutEfa(withEfa.capacity), allocatable: leaveOutEfa(withEfa.allocatable) };
  return {
    labels: typeLabels(type),
    resources: ({ efaCount }) => (efaCount > 0 ? withEfa : withoutEfa),
  };
}

/** Labels of a type that are on instances of reservations only, whichever the type could be had of. */
const RESERVATION_LABELS: ReadonlySet<string> = new Set([
  AWS_LABELS.capacityReservationId,
  AWS_LABELS.capacityReservationType,
  AWS_LABELS.capacityReservationInterruptible,
]);

/** What has but one value for the type is known of the instance. */
function typeLabels({ requirements }: InstanceType): Readonly<Record<string, string>> {
  const single = requirements.filter(
    ({ key, operator, values }) => operator === 'In' && values?.length === 1 && !RESERVATION_LABELS.has(key),
  );
  return Object.fromEntries(single.map(({ key, values }) => [key, values![0]!]));
}

function withoutZeros(resources: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(resources).filter(([, quantity]) => parseQuantity(quantity).nanos !== 0n));
}

function leaveOutEfa(resources: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(resources).filter(([name]) => name !== EFA_RESOURCE));
}
