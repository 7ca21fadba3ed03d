import { ARCH_LABEL, CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { NodeSelectorRequirement, PodSpec, Toleration } from '@karpenter-ts/kubernetes';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import type { FleetTraits } from './traits.ts';
import { CPU_LABEL, RACK_LABEL, RACKS, RANKED_TAINT, TIERS, ZONES } from './values.ts';

const LEGACY_ZONE_LABEL = 'failure-domain.beta.kubernetes.io/zone';

/** What a pod asks of its node. */
export function randomNodeAsks(random: Random, traits: FleetTraits): PodSpec {
  const nodeSelector = selectorOf(random);
  const required = random.chance(0.35) && {
    requiredDuringSchedulingIgnoredDuringExecution: requiredTerms(random, traits),
  };
  const preferred = random.chance(0.3) && {
    preferredDuringSchedulingIgnoredDuringExecution: Array.from({ length: 1 + random.below(2) }, () => ({
      weight: 1 + random.below(100),
      preference: { matchExpressions: [preference(random)] },
    })),
  };
  return {
    tolerations: tolerationsOf(random, traits),
    nodeSelector,
    ...((required || preferred) && { affinity: { nodeAffinity: { ...required, ...preferred } } }),
  };
}

function selectorOf(random: Random): Readonly<Record<string, string>> {
  return {
    ...(random.chance(0.15) && { [ARCH_LABEL]: random.pick(['amd64', 'arm64']) }),
    ...(random.chance(0.2) && { tier: 'web' }),
    ...(random.chance(0.05) && { [RACK_LABEL]: random.pick(RACKS) }),
  };
}

function requiredTerms(random: Random, traits: FleetTraits) {
  const ask = random.pick([zoneAsk, zoneAsk, zoneAsk, sizeAsk, typeAsk, rackAsk]);
  const nodeSelectorTerms = Array.from({ length: 1 + random.below(3) }, () => ({
    matchExpressions: [ask(random, traits)],
  }));
  return { nodeSelectorTerms };
}

function zoneAsk(random: Random, { portable }: FleetTraits): NodeSelectorRequirement {
  // A scheduler does not know that the old label means the new one.
  const key = !portable && random.chance(0.1) ? LEGACY_ZONE_LABEL : ZONE_LABEL;
  return { key, operator: random.pick(['In', 'In', 'NotIn']), values: random.some(ZONES) };
}

function sizeAsk(random: Random): NodeSelectorRequirement {
  return { key: CPU_LABEL, operator: random.pick(['Gt', 'Lt']), values: [random.pick(['2', '4', '8'])] };
}

function typeAsk(random: Random): NodeSelectorRequirement {
  return { key: INSTANCE_TYPE_LABEL, operator: random.pick(['In', 'NotIn']), values: ['type-0', 'type-1', 'type-2'] };
}

function rackAsk(random: Random): NodeSelectorRequirement {
  const operator = random.pick(['In', 'Exists', 'NotIn', 'DoesNotExist']);
  return { key: RACK_LABEL, operator, ...(operator.endsWith('In') && { values: random.some(RACKS) }) };
}

function preference(random: Random): NodeSelectorRequirement {
  const tier = random.pick(TIERS);
  return random.pick<NodeSelectorRequirement>([
    { key: ZONE_LABEL, operator: random.pick(['In', 'NotIn']), values: random.some(ZONES) },
    { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot'] },
    { key: 'tier', operator: 'In', values: [tier] },
    { key: 'example.com/unheard-of', operator: 'Exists' },
  ]);
}

function tolerationsOf(random: Random, { portable }: FleetTraits): readonly Toleration[] {
  const rank = RANKED_TAINT.key;
  return random.pick<readonly Toleration[]>([
    [],
    [],
    [{ key: 'tier', operator: 'Equal', value: 'batch' }],
    [
      { key: 'tier', operator: 'Exists', effect: 'NoSchedule' },
      { key: rank, operator: 'Exists', effect: 'NoSchedule' }, // of another effect than the taint
    ],
    [{ operator: 'Exists' }],
    // Comparing values is off by default in Kubernetes.
    portable ? [{ key: rank, value: '5' }] : [{ key: rank, operator: random.pick(['Lt', 'Gt']), value: '6' }],
  ]);
}
