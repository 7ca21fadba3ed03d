// Small instance types for tests of what a launch decides.
import {
  AWS_LABELS,
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  type RequirementSpec,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { ResourceList } from '@karpenter-ts/kubernetes';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';
import { demandOf } from '../demand.ts';
import { Matcher } from '../matcher.ts';

const is = (key: string, value: string): RequirementSpec => ({ key, operator: 'In', values: [value] });
const RESERVATION_LABELS = [
  AWS_LABELS.capacityReservationId,
  AWS_LABELS.capacityReservationType,
  AWS_LABELS.capacityReservationInterruptible,
];

/** An offering in zone `a` unless it says otherwise. */
export function offering(
  capacityType: 'on-demand' | 'spot',
  price: number,
  parts: Partial<Offering> & { zone?: string } = {},
): Offering {
  const { zone = 'a', ...rest } = parts;
  return {
    requirements: [
      is(CAPACITY_TYPE_LABEL, capacityType),
      is(ZONE_LABEL, zone),
      ...RESERVATION_LABELS.map((key) => ({ key, operator: 'DoesNotExist' })),
    ],
    pricePerHour: price,
    available: true,
    ...rest,
  };
}

interface ReservedParts extends Partial<Offering> {
  readonly zone?: string;
  readonly type?: 'default' | 'capacity-block';
  readonly interruptible?: boolean;
  readonly capacity?: number;
}

/** An offering of a reservation. */
export function reserved(id: string, price: number, parts: ReservedParts = {}): Offering {
  const { zone = 'a', type = 'default', interruptible = false, capacity = 1, ...rest } = parts;
  return {
    requirements: [
      is(CAPACITY_TYPE_LABEL, 'reserved'),
      is(ZONE_LABEL, zone),
      is(AWS_LABELS.capacityReservationId, id),
      is(AWS_LABELS.capacityReservationType, type),
      is(AWS_LABELS.capacityReservationInterruptible, String(interruptible)),
    ],
    pricePerHour: price,
    available: capacity > 0,
    reservation: { id, capacity },
    ...rest,
  };
}

/** A type with two cores; its family and size are those of its name. */
export function typeOf(name: string, offerings: readonly Offering[], capacity: ResourceList = {}): InstanceType {
  const [family = '', size = ''] = name.split('.');
  return {
    name,
    requirements: [
      is(INSTANCE_TYPE_LABEL, name),
      is(AWS_LABELS.instanceFamily, family),
      is(AWS_LABELS.instanceSize, size),
    ],
    offerings,
    capacity: { cpu: '2', memory: '8Gi', pods: '10', ...capacity },
    overhead: {},
  };
}

/** What filters are given. */
export function filterInput(
  types: readonly InstanceType[],
  { requirements = [], requests = {} }: { requirements?: readonly RequirementSpec[]; requests?: ResourceList } = {},
) {
  const demand = demandOf({ spec: { requirements, resources: { requests } } } as never);
  return { types, demand, matcher: new Matcher(demand.requirements) };
}

/** The names of types, each with the prices of its offerings. */
export function outline(types: readonly InstanceType[]): readonly string[] {
  return types.map(({ name, offerings }) => `${name}: ${offerings.map(({ pricePerHour }) => pricePerHour).join(' ')}`);
}
