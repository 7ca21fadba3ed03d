import { ARCH_LABEL, CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, type NodePool, ZONE_LABEL } from '@karpenter-ts/apis';
import { makePool } from '../builders.ts';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import type { FleetTraits } from './traits.ts';
import {
  CPU_LABEL,
  RACK_LABEL,
  RACKS,
  RANKED_TAINT,
  SPARE_TAINT,
  STARTUP_TAINT,
  TIER_TAINT,
  TIERS,
  ZONES,
} from './values.ts';

type PoolRequirement = NodePool['spec']['template']['spec']['requirements'][number];

/** A pool that wants nothing, or a little of everything. */
export function randomPool(
  name: string,
  random: Random,
  { independent, forgiving }: Pick<FleetTraits, 'independent' | 'forgiving'>,
): NodePool {
  const pool = makePool(name, {
    labels: {
      ...(random.chance(0.4) && { tier: random.pick(TIERS) }),
      ...(random.chance(0.2) && { [RACK_LABEL]: random.pick(RACKS) }),
    },
    requirements: randomRequirements(random),
    taints: [
      ...(random.chance(0.3) ? [TIER_TAINT] : []),
      ...(random.chance(0.1) ? [SPARE_TAINT] : []),
      ...(random.chance(0.1) ? [RANKED_TAINT] : []),
    ],
    ...(random.chance(0.4) && { weight: 1 + random.below(100) }),
    ...(!independent &&
      !forgiving &&
      random.chance(0.25) && {
        limits: random.pick([{ cpu: '20' }, { nodes: '2' }, { memory: '64Gi', cpu: '40' }, { pods: '40' }]),
      }),
  });
  return random.chance(0.1) ? withStartupTaint(pool) : pool;
}

/** One that asks for no variety and has no limits: it can serve whomever it does not refuse. */
export function anotherPool(name: string, random: Random): NodePool {
  const { spec, ...pool } = randomPool(name, random, { independent: true, forgiving: true });
  const requirements = spec.template.spec.requirements.filter(({ minValues }) => minValues === undefined);
  const template = { ...spec.template, spec: { ...spec.template.spec, requirements } };
  return { ...pool, spec: { ...spec, template } };
}

/** A pool of this tier that refuses nobody else. */
export function openPool(tier: string): NodePool {
  return makePool(`open-${tier}`, {
    labels: { tier },
    requirements: [{ key: RACK_LABEL, operator: 'In', values: [...RACKS] }],
  });
}

function randomRequirements(random: Random): PoolRequirement[] {
  const candidates: readonly (readonly [probability: number, make: () => PoolRequirement])[] = [
    [
      0.3,
      () => ({ key: ZONE_LABEL, operator: random.pick(['In', 'NotIn']), values: [...random.some(ZONES.slice(0, 2))] }),
    ],
    [
      0.3,
      () => ({
        key: CAPACITY_TYPE_LABEL,
        operator: 'In',
        values: [...random.some(['spot', 'on-demand', 'reserved'])],
        ...(random.chance(0.1) && { minValues: 2 }),
      }),
    ],
    [0.3, () => ({ key: ARCH_LABEL, operator: 'In', values: ['amd64'] })],
    [0.2, () => ({ key: INSTANCE_TYPE_LABEL, operator: 'Exists', minValues: 1 + random.below(3) })],
    [
      0.2,
      () => ({ key: CPU_LABEL, operator: random.pick(['Gt', 'Gte', 'Lt', 'Lte']), values: [random.pick(['2', '8'])] }),
    ],
    [0.2, () => ({ key: RACK_LABEL, operator: 'In', values: [...random.some(RACKS)] })],
  ];
  return candidates.filter(([probability]) => random.chance(probability)).map(([, make]) => make());
}

function withStartupTaint(pool: NodePool): NodePool {
  const { template } = pool.spec;
  const spec = { ...template.spec, startupTaints: [STARTUP_TAINT] };
  return { ...pool, spec: { ...pool.spec, template: { ...template, spec } } };
}
