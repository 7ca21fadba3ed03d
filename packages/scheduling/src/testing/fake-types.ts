// The instance types of upstream's fake provider, on which the spec's cases are worded.
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  CORE_PROFILE,
  INSTANCE_TYPE_LABEL,
  OS_LABEL,
  type ProviderProfile,
  type RequirementSpec,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { parseQuantity, type ResourceList, unitsOf } from '@karpenter-ts/kubernetes';
import type { InstanceType, Offering } from '../snapshot.ts';
import { makeOffering } from './builders.ts';

export const RESERVATION_LABEL = 'reservation-id';

/** The well-known labels of core and those of these types. */
export const FAKE_PROFILE: ProviderProfile = {
  ...CORE_PROFILE,
  wellKnownLabels: CORE_PROFILE.wellKnownLabels.union(new Set(['size', 'special', 'integer', RESERVATION_LABEL])),
};

interface FakeParts {
  readonly resources?: ResourceList;
  readonly arch?: string;
  readonly os?: readonly string[];
  readonly offerings?: readonly Offering[];
  readonly requirements?: readonly RequirementSpec[];
}

/** 4 cpus, 4 GiB and 5 pods unless said otherwise; spot in two zones, on demand in three, priced by size. */
export function fakeType(name: string, parts: FakeParts = {}): InstanceType {
  const capacity = { cpu: '4', memory: '4Gi', pods: '5', ...parts.resources };
  const cpus = unitsOf(parseQuantity(capacity.cpu));
  const offerings = parts.offerings ?? everywhere(priceOf(capacity));
  const offered = (key: string) => [
    ...new Set(
      offerings
        .filter(({ available }) => available)
        .flatMap(({ requirements }) => requirements.find((one) => one.key === key)?.values ?? []),
    ),
  ];
  const isLarge = cpus > 4n && unitsOf(parseQuantity(capacity.memory)) > 8n * 2n ** 30n;
  return {
    name,
    requirements: [
      is(INSTANCE_TYPE_LABEL, name),
      is(ARCH_LABEL, parts.arch ?? 'amd64'),
      is(OS_LABEL, ...(parts.os ?? ['linux', 'windows', 'darwin'])),
      is(ZONE_LABEL, ...offered(ZONE_LABEL)),
      is(CAPACITY_TYPE_LABEL, ...offered(CAPACITY_TYPE_LABEL)),
      is('size', isLarge ? 'large' : 'small'),
      isLarge ? is('special', 'optional') : { key: 'special', operator: 'DoesNotExist' },
      is('integer', String(cpus)),
      ...(parts.requirements ?? []),
    ],
    offerings,
    capacity,
    overhead: { kubeReserved: { cpu: '100m', memory: '10Mi' } },
  };
}

/** The types most cases are about. */
export const DEFAULT_TYPES: readonly InstanceType[] = [
  fakeType('default-instance-type'),
  fakeType('small-instance-type', { resources: { cpu: '2', memory: '2Gi' } }),
  fakeType('gpu-vendor-instance-type', { resources: { 'fake.com/vendor-a': '2' } }),
  fakeType('gpu-vendor-b-instance-type', { resources: { 'fake.com/vendor-b': '2' } }),
  fakeType('arm-instance-type', {
    arch: 'arm64',
    os: ['ios', 'linux', 'windows', 'darwin'],
    resources: { cpu: '16', memory: '128Gi' },
  }),
  fakeType('single-pod-instance-type', { resources: { pods: '1' } }),
];

/** `count` types of 1, 2, 3 … cpus with 2 GiB each and plenty of pods. */
export function ladder(count: number): readonly InstanceType[] {
  return Array.from({ length: count }, (_, i) =>
    fakeType(`fake-it-${i}`, {
      resources: { cpu: String(i + 1), memory: `${2 * (i + 1)}Gi`, pods: String(10 * (i + 1)) },
    }),
  );
}

/** Spot in zones 1 and 2, on demand in all three. */
function everywhere(pricePerHour: number): readonly Offering[] {
  return [
    makeOffering('test-zone-1', 'spot', pricePerHour),
    makeOffering('test-zone-2', 'spot', pricePerHour),
    makeOffering('test-zone-1', 'on-demand', pricePerHour),
    makeOffering('test-zone-2', 'on-demand', pricePerHour),
    makeOffering('test-zone-3', 'on-demand', pricePerHour),
  ];
}

/** An offering of reserved capacity. */
export function reserved(zone: string, id: string, capacity: number, rest: Partial<Offering> = {}): Offering {
  const offering = makeOffering(zone, 'reserved', 0.0001, { ...rest, reservation: { id, capacity } });
  return { ...offering, requirements: [...offering.requirements, is(RESERVATION_LABEL, id)] };
}

/** The requirement that a label has one of these values. */
export function is(key: string, ...values: readonly string[]) {
  return { key, operator: 'In', values } as const;
}

function priceOf(capacity: ResourceList): number {
  const number = (name: string) => Number(parseQuantity(capacity[name] ?? 0).nanos) / 1e9;
  const devices = Object.keys(capacity).filter((name) => name.startsWith('fake.com/')).length;
  return 0.1 * number('cpu') + (0.1 * number('memory')) / 1e9 + devices;
}
