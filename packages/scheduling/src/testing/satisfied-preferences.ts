// Which preferences a plan satisfies, found out the plain way: from where all pods are in the end.
import { HOSTNAME_LABEL, type Requirement } from '@karpenter-ts/apis';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import { podName } from '../model/pods/pod-id.ts';
import { requirementsOf } from '../model/pods/constraints.ts';
import type { Plan } from '../plan.ts';
import type { InstanceType, PlanningOptions, Snapshot } from '../snapshot.ts';
import { implies } from './checker/demands.ts';
import { type Selects, spreadSelects, termSelects } from './checker/selection.ts';
import {
  toCheckedPlan,
  domainOf,
  domainsOf,
  targetsOf,
  type CheckedPlan,
  type PlannedTarget,
} from './checker/checked-plan.ts';

/** The names of all preferences of pods on new nodes that hold for certain, wherever these nodes come up. */
export function satisfiedPreferences(snapshot: Snapshot, plan: Plan, options: PlanningOptions): ReadonlySet<string> {
  const checked = toCheckedPlan(snapshot, plan, options);
  return new Set(
    checked.planned.flatMap((target) => target.placed.flatMap(({ pod }) => preferencesOf({ pod, target, checked }))),
  );
}

/** A pod, and where it is. */
interface Spot {
  readonly pod: Pod;
  readonly target: PlannedTarget;
  readonly checked: CheckedPlan;
}

const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function preferencesOf(spot: Spot): readonly string[] {
  const { affinity, topologySpreadConstraints = [] } = spot.pod.spec;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  return [
    ...named(spot, 'node', nodeAffinity?.[PREFERRED], ({ preference }) =>
      requirementsOf(preference, spot.checked.options.profile).every((preference) =>
        isGranted(spot.target, preference),
      ),
    ),
    ...named(spot, 'near', podAffinity?.[PREFERRED], ({ podAffinityTerm }) => near(spot, podAffinityTerm).certain > 0),
    ...named(
      spot,
      'apart',
      podAntiAffinity?.[PREFERRED],
      ({ podAffinityTerm }) => near(spot, podAffinityTerm).possible === 0,
    ),
    ...named(spot, 'spread', topologySpreadConstraints, (constraint) => isSpreadByHost(spot, constraint)),
  ];
}

/** By what the node is asked to be. A label nobody asks about is missing only where instance types do not bring it along. */
function isGranted({ node, types }: PlannedTarget, preference: Requirement): boolean {
  const asked = node.requirements.get(preference.key);
  const comesAlong = ({ requirements, offerings }: InstanceType) =>
    [requirements, ...offerings.map((offering) => offering.requirements)]
      .flat()
      .some(({ key }) => key === preference.key);
  return asked === undefined && types.some(comesAlong) ? false : implies(asked, preference);
}

function named<T>({ pod }: Spot, kind: string, preferences: readonly T[] = [], holds: (preference: T) => boolean) {
  return preferences.flatMap((preference, index) => (holds(preference) ? [`${podName(pod)} ${kind} ${index}`] : []));
}

function near(spot: Spot, term: PodAffinityTerm): Neighbours {
  return neighbours(spot, term.topologyKey, termSelects(spot.pod, term, spot.checked.snapshot));
}

/** By other labels the counts cannot change, as every pod stays in its domain. */
function isSpreadByHost(spot: Spot, constraint: TopologySpreadConstraint): boolean {
  const { topologyKey, maxSkew, whenUnsatisfiable } = constraint;
  if (whenUnsatisfiable !== 'ScheduleAnyway' || topologyKey !== HOSTNAME_LABEL) return false;
  return neighbours(spot, topologyKey, spreadSelects(spot.pod, constraint)).possible < maxSkew;
}

interface Neighbours {
  readonly certain: number;
  readonly possible: number;
}

/** How many selected pods beside this one are in its domain: for certain, and at most. */
function neighbours({ pod, target, checked }: Spot, key: string, selects: Selects): Neighbours {
  const own = domainsOf(target, key);
  const others = [
    ...targetsOf(checked).flatMap((other) =>
      other.placed.map((placed) => ({ pod: placed.pod, domains: domainsOf(other, key) })),
    ),
    ...checked.residents.flatMap((resident) => {
      const domain = domainOf(resident, key);
      return resident.counts && domain !== undefined ? [{ pod: resident.pod, domains: [domain] }] : [];
    }),
  ].filter((other) => other.pod !== pod && selects(other.pod));
  const isPossible = (domains = own) => own === undefined || domains!.some((domain) => own.includes(domain));
  const isCertain = (domains: readonly string[] = []) =>
    own?.length === 1 && domains.length === 1 && domains[0] === own[0];
  return {
    certain: others.filter(({ domains }) => isCertain(domains)).length,
    possible: others.filter(({ domains }) => isPossible(domains)).length,
  };
}
