import { ARCH_LABEL } from '@karpenter-ts/apis';
import type { InstanceType, Offering } from '../../snapshot.ts';
import { makeOffering, makeType } from '../builders.ts';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import type { FleetTraits } from './traits.ts';
import { CPU_LABEL, GPU, RESERVATION_LABEL, ZONES } from './values.ts';

/** A few instance types, no two at the same price. One of them is large, dear, and to be had everywhere. */
export function randomCatalogue(random: Random, traits: FleetTraits): readonly InstanceType[] {
  const types = Array.from({ length: 4 + random.below(10) }, (_, index) => randomType(index, random, traits));
  const large = traits.forgiving ? [largeType('amd64'), largeType('arm64')] : [largeType(random.pick(ARCHITECTURES))];
  return [...types, ...large].map((type, index) => {
    const isMarked = traits.lastResorts && (index % 4 === 3 || type.capacity[GPU] !== undefined);
    return isMarked ? { ...type, lastResort: true } : type;
  });
}

const ARCHITECTURES = ['amd64', 'arm64'];

function largeType(arch: string): InstanceType {
  return makeType(`type-${arch}`, {
    capacity: { cpu: '24', memory: '64Gi', pods: '30', [GPU]: '2' },
    offerings: ZONES.flatMap((zone) => [makeOffering(zone, 'on-demand', 1.5), makeOffering(zone, 'spot', 1.1)]),
    labels: { [ARCH_LABEL]: [arch], [CPU_LABEL]: ['24'] },
  });
}

function randomType(index: number, random: Random, { independent, portable, forgiving }: FleetTraits): InstanceType {
  const cpus = random.pick([1, 2, 4, 8, 16]);
  const memory = cpus * random.pick([1, 2, 4]);
  const price = cpus * 0.03 + memory * 0.005 + index / 10_000;
  const offerings = random
    .some(ZONES)
    .flatMap((zone) => [
      makeOffering(zone, 'on-demand', price, { available: random.chance(0.95) }),
      ...(random.chance(0.7)
        ? [makeOffering(zone, 'spot', price / random.pick([2, 3]), { available: random.chance(0.8) })]
        : []),
      ...(!independent && !forgiving && random.chance(0.1) ? [reservedOffering(zone, random)] : []),
    ]);
  // A node is pinned to reservations it may hold, even if its pods fit on other offerings only: then nothing can be bought.
  const canBeHeld = portable && offerings.some(({ reservation }) => reservation !== undefined);
  return makeType(`type-${index}`, {
    capacity: {
      cpu: String(cpus),
      memory: `${memory}Gi`,
      pods: String(random.pick([4, 8, 30])),
      ...(random.chance(0.2) && { [GPU]: '2' }),
      ...(random.chance(0.1) && { 'hugepages-2Mi': '512Mi' }),
    },
    offerings: canBeHeld ? offerings : offerings.map((offering) => ({ ...offering, ...overridesOf(random) })),
    labels: { [ARCH_LABEL]: [random.pick(['amd64', 'amd64', 'arm64'])], [CPU_LABEL]: [String(cpus)] },
    overhead: {
      ...(random.chance(0.6) && { kubeReserved: { cpu: '100m', memory: '200Mi' } }),
      ...(random.chance(0.3) && { systemReserved: { cpu: '50m' } }),
      ...(random.chance(0.3) && { evictionThreshold: { memory: '100Mi' } }),
    },
  });
}

function overridesOf(random: Random): Partial<Offering> {
  return {
    ...(random.chance(0.1) && { capacityOverride: { [GPU]: '1' } }),
    ...(random.chance(0.15) && { overheadOverride: { kubeReserved: { cpu: '500m', memory: '1Gi' } } }),
  };
}

function reservedOffering(zone: string, random: Random): Offering {
  const id = random.pick(['r-1', 'r-2']);
  const offering = makeOffering(zone, 'reserved', 0.0001, { reservation: { id, capacity: random.below(3) } });
  return {
    ...offering,
    requirements: [...offering.requirements, { key: RESERVATION_LABEL, operator: 'In', values: [id] }],
  };
}
