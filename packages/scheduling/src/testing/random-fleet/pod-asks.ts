import { ARCH_LABEL, CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type {
  Affinity,
  LabelSelectorSpec,
  PodAffinity,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '@karpenter-ts/kubernetes';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import type { FleetTraits } from './traits.ts';
import { RACK_LABEL, TIERS } from './values.ts';

const SPREAD_KEYS = [ZONE_LABEL, ZONE_LABEL, HOSTNAME_LABEL, CAPACITY_TYPE_LABEL, ARCH_LABEL, RACK_LABEL] as const;
const TERM_KEYS = [ZONE_LABEL, ZONE_LABEL, HOSTNAME_LABEL, HOSTNAME_LABEL, ARCH_LABEL, RACK_LABEL] as const;

/** Labels of a workload's pods. */
export interface AppLabels {
  readonly app: string;
  readonly tier?: string;
}

type Ask = (own: AppLabels, random: Random, traits: FleetTraits) => PodSpec;

/** Whom the replicas of one workload want near, apart, or spread; and the ports of the host they need. */
export function randomPodAsks(own: AppLabels, random: Random, traits: FleetTraits): PodSpec {
  const kinds: readonly Ask[] = [
    spreadAsk,
    spreadAsk,
    spreadAsk,
    affinityAsk,
    antiAffinityAsk,
    antiAffinityAsk,
    portAsk,
    noAsk,
    noAsk,
  ];
  const chosen = [random.pick(kinds), ...(random.chance(0.2) ? [random.pick(kinds)] : [])];
  return chosen.map((ask) => ask(own, random, traits)).reduce(combineAsks);
}

/** Both; of what only one can be, the second. */
export function combineAsks(one: PodSpec, other: PodSpec): PodSpec {
  const affinity: Affinity = { ...one.affinity, ...other.affinity };
  return { ...one, ...other, ...(Object.keys(affinity).length > 0 && { affinity }) };
}

function noAsk(): PodSpec {
  return {};
}

function spreadAsk({ app }: AppLabels, random: Random, traits: FleetTraits): PodSpec {
  const keys = random.chance(0.6) ? [random.pick(SPREAD_KEYS)] : random.some(togetherKeys(traits), 2).slice(0, 3);
  return { topologySpreadConstraints: keys.map((key) => spread(key, app, random, traits)) };
}

/** A scheduler counts only nodes that have the keys of all constraints; not every node has a rack. */
function togetherKeys({ portable }: FleetTraits): readonly string[] {
  return [...new Set(SPREAD_KEYS)].filter((key) => !portable || key !== RACK_LABEL);
}

function spread(topologyKey: string, app: string, random: Random, { portable }: FleetTraits): TopologySpreadConstraint {
  const selectors = [
    { matchLabels: { app } },
    { matchLabels: { app } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: [app] }] },
    ...(portable ? [] : [undefined, { matchExpressions: [{ key: 'app', operator: 'Wrong', values: [app] }] }]),
  ];
  const isStrict = random.chance(0.7);
  return {
    maxSkew: 1 + random.below(2),
    topologyKey,
    whenUnsatisfiable: isStrict ? 'DoNotSchedule' : 'ScheduleAnyway',
    labelSelector: random.pick(selectors),
    ...(random.chance(0.25) && { matchLabelKeys: ['revision', 'unheard-of'] }),
    ...(isStrict && random.chance(0.3) && { minDomains: 2 + random.below(3) }),
    ...(random.chance(0.4) && { nodeAffinityPolicy: 'Ignore' }),
    ...(random.chance(0.5) && { nodeTaintsPolicy: 'Honor' }),
  };
}

function affinityAsk(own: AppLabels, random: Random, traits: FleetTraits): PodSpec {
  const selectors = traits.portable ? certainTargets(own) : anyTargets(own, random, traits);
  const keys = traits.forgiving ? TERM_KEYS.filter((key) => key !== HOSTNAME_LABEL) : TERM_KEYS; // a host may be full
  return { affinity: { podAffinity: randomTerms(keys, selectors, random) } };
}

function antiAffinityAsk(own: AppLabels, random: Random, traits: FleetTraits): PodSpec {
  const selectors = traits.forgiving ? [{ matchLabels: { app: own.app } }] : anyTargets(own, random, traits);
  return { affinity: { podAntiAffinity: randomTerms(TERM_KEYS, selectors, random) } };
}

function anyTargets(
  { app }: AppLabels,
  random: Random,
  { portable }: FleetTraits,
): readonly (LabelSelectorSpec | undefined)[] {
  return [
    { matchLabels: { app } },
    { matchLabels: { app } },
    { matchLabels: { tier: random.pick(TIERS) } },
    { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: [random.pick(TIERS)] }] },
    ...(portable ? [] : [undefined]),
  ];
}

/**
 * Its own kind alone, or others alone. Among both, Karpenter may take a pod for the first of its kind while others run
 * in domains it does not know yet, or that the pod cannot use; a scheduler would not.
 */
function certainTargets({ app, tier }: AppLabels): readonly LabelSelectorSpec[] {
  const others = TIERS.filter((other) => other !== tier).map((other) => ({ matchLabels: { tier: other } }));
  return [{ matchLabels: { app } }, ...others];
}

function randomTerms(
  keys: readonly string[],
  selectors: readonly (LabelSelectorSpec | undefined)[],
  random: Random,
): PodAffinity {
  const term = (): PodAffinityTerm => ({
    topologyKey: random.pick(keys),
    labelSelector: random.pick(selectors),
    ...(random.chance(0.2) && { namespaceSelector: random.pick([{}, { matchLabels: { team: 'data' } }]) }),
    ...(random.chance(0.2) && { namespaces: ['default', 'other'] }),
  });
  if (random.chance(0.7)) return { requiredDuringSchedulingIgnoredDuringExecution: [term()] };
  return {
    preferredDuringSchedulingIgnoredDuringExecution: Array.from({ length: 1 + random.below(2) }, () => ({
      weight: 1 + random.below(100),
      podAffinityTerm: term(),
    })),
  };
}

function portAsk(_own: AppLabels, random: Random): PodSpec {
  const port = {
    hostPort: 8080 + random.below(2),
    hostIP: random.pick([undefined, '10.0.0.1', '10.0.0.2', '::']),
    protocol: random.pick(['TCP', 'TCP', 'UDP']),
  };
  return { containers: [{ name: 'main', resources: { requests: { cpu: '500m' } }, ports: [port] }] };
}
