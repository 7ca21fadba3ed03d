// What a pod asks for, less what the plan says it gave up (spec 02 §§9.3, 10, 18).
import {
  admits,
  admitsAbsence,
  combineRequirements,
  type ProviderProfile,
  type Requirement,
  type Requirements,
  toLabelRequirements,
  toRequirement,
  toRequirements,
} from '@karpenter-ts/apis';
import type {
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '@karpenter-ts/kubernetes';
import type { PlacedPod, Relaxation } from '../../plan.ts';
import type { PlanningOptions } from '../../snapshot.ts';

/** The constraints in force for a pod where it was placed. */
export interface Demands {
  /** Each of the selector, the required term in force and the heaviest preferred term still kept. */
  readonly expressions: readonly Requirement[];
  /** The same without preferences: which domains a pod may spread over. */
  readonly strict: Requirements;
  readonly spreads: readonly TopologySpreadConstraint[];
  readonly affinity: readonly AffinityDemand[];
  readonly requiredAntiAffinity: readonly PodAffinityTerm[];
  readonly preferredAntiAffinity: readonly PodAffinityTerm[];
}

/** A pod that all terms select must be in the same domain of the key: one pod for all, as the kube-scheduler wants it. */
export interface AffinityDemand {
  readonly topologyKey: string;
  readonly terms: readonly PodAffinityTerm[];
}

export function demandsOf({ pod, relaxations }: PlacedPod, options: PlanningOptions): Demands {
  const { affinity = {}, nodeSelector = {}, topologySpreadConstraints = [] } = pod.spec;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const respected = options.preferencePolicy === 'Respect';
  const preferred = <T extends { readonly weight: number }>(
    terms: readonly T[] | undefined,
    gaveUp: Relaxation['gaveUp'],
  ) => (respected ? heaviestFirst(terms ?? []).slice(countOf(relaxations, gaveUp)) : []);
  const requiredTerms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const [requiredTerm] = requiredTerms.slice(countOf(relaxations, 'RequiredNodeTerm'));
  const [preferredTerm] = preferred(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 'PreferredNodeTerm');
  const requiredPods = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const selector = toLabelRequirements(nodeSelector, options.profile);
  const strict = both(selector, termRequirements(requiredTerm, options.profile));
  return {
    expressions: [
      ...selector.values(),
      ...[requiredTerm, preferredTerm?.preference].flatMap((term) =>
        (term?.matchExpressions ?? []).map((expression) => toRequirement(expression, options.profile)),
      ),
    ],
    strict,
    spreads: keptSpreads(topologySpreadConstraints, relaxations, respected),
    affinity: [
      ...requiredPods.map(({ topologyKey }) => ({ topologyKey, terms: requiredPods })),
      ...preferred(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 'PreferredPodAffinity').map(
        ({ podAffinityTerm }) => ({ topologyKey: podAffinityTerm.topologyKey, terms: [podAffinityTerm] }),
      ),
    ],
    requiredAntiAffinity: podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    preferredAntiAffinity: preferred(
      podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
      'PreferredPodAntiAffinity',
    ).map(({ podAffinityTerm }) => podAffinityTerm),
  };
}

/** Whether the selector and the required term of a pod ask for a label, and no value of it meets both. */
export function contradictsItself(pod: Pod, options: PlanningOptions): boolean {
  const { expressions, strict } = demandsOf({ pod, relaxations: [] }, { ...options, preferencePolicy: 'Ignore' });
  return expressions.some((expression) => {
    const { complement, values } = strict.get(expression.key)!;
    return !admitsAbsence(expression) && !complement && values.size === 0;
  });
}

/** Every required alternative of a pod, less the first few, as requirements; one without constraints if it has none. */
export function requiredAlternatives(pod: Pod, profile: ProviderProfile, dropped = 0): readonly Requirements[] {
  const selector = toLabelRequirements(pod.spec.nodeSelector ?? {}, profile);
  const terms =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [selector];
  return terms.slice(dropped).map((term) => both(selector, termRequirements(term, profile)));
}

/** Whether the pod stands the taints; those of effect `PreferNoSchedule` it may have come to stand. */
export function findUntolerated(
  pod: Pod,
  taints: readonly Taint[],
  toleratesPreferNoSchedule = false,
): Taint | undefined {
  const tolerations = [
    ...(pod.spec.tolerations ?? []),
    ...(toleratesPreferNoSchedule ? [{ operator: 'Exists', effect: 'PreferNoSchedule' }] : []),
  ];
  return taints.find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  const [asked, given] = [toleration.value ?? '', taint.value ?? ''];
  switch (toleration.operator || 'Equal') {
    case 'Equal':
      return asked === given;
    case 'Exists':
      return true;
    case 'Lt':
      return isInteger(asked) && isInteger(given) && BigInt(given) < BigInt(asked);
    case 'Gt':
      return isInteger(asked) && isInteger(given) && BigInt(given) > BigInt(asked);
    default:
      return false;
  }
}

const isInteger = (text: string): boolean =>
  /^(0|-?[1-9]\d*)$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

export function both(a: Requirements, b: Requirements): Requirements {
  return combineRequirements([...a.values(), ...b.values()]);
}

function termRequirements(term: NodeSelectorTerm | undefined, profile: ProviderProfile): Requirements {
  return toRequirements(term?.matchExpressions ?? [], profile);
}

/** Those of equal weight keep their order. */
export function heaviestFirst<T extends { readonly weight: number }>(terms: readonly T[]): readonly T[] {
  return terms.toSorted((a, b) => b.weight - a.weight);
}

/** How often a pod gave up something of this kind. */
function countOf(relaxations: readonly Relaxation[], gaveUp: Relaxation['gaveUp']): number {
  return relaxations.filter((relaxation) => relaxation.gaveUp === gaveUp).length;
}

function keptSpreads(
  constraints: readonly TopologySpreadConstraint[],
  relaxations: readonly Relaxation[],
  respected: boolean,
): readonly TopologySpreadConstraint[] {
  const gone = new Set(
    relaxations.map((one) => (one.gaveUp === 'ScheduleAnyway' ? JSON.stringify(one.constraint) : undefined)),
  );
  return constraints.filter((constraint) => {
    if (constraint.whenUnsatisfiable === 'DoNotSchedule') return true;
    return respected && !gone.has(JSON.stringify(constraint));
  });
}

/** Whether all that `narrow` admits, `wide` admits too; a label left out is admitted by what `wide` can do without. */
export function implies(narrow: Requirement | undefined, wide: Requirement): boolean {
  if (narrow === undefined || (!narrow.complement && narrow.values.size === 0)) return admitsAbsence(wide);
  if (!narrow.complement) return [...narrow.values].every((value) => admits(wide, value));
  if (!wide.complement) return false;
  if (wide.lowest !== undefined && (narrow.lowest === undefined || narrow.lowest < wide.lowest)) return false;
  if (wide.highest !== undefined && (narrow.highest === undefined || narrow.highest > wide.highest)) return false;
  return [...wide.values].every((value) => !admits(narrow, value));
}
