import { admits } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { podName } from '../../../model/pods/pod-id.ts';
import type { AffinityDemand } from '../demands.ts';
import type { Rule } from '../rule.ts';
import { type Selects, allSelect } from '../selection.ts';
import { domainOf, domainsOf, type Target, targetsOf, type Placement, type CheckedPlan } from '../checked-plan.ts';

/** A pod is where pods it wants to be with are, or it is the first of its own kind anywhere it may be (§16.4). */
export const affinityMet: Rule = (checked) =>
  targetsOf(checked).flatMap((target) =>
    target.placed.flatMap((placed) =>
      placed.demands.affinity.flatMap((term) => {
        const problem = findAffinityProblem(checked, target, placed, term);
        return problem === undefined ? [] : [`${podName(placed.pod)} on ${target.hostname}: ${problem}`];
      }),
    ),
  );

function findAffinityProblem(
  checked: CheckedPlan,
  target: Target,
  { pod }: Placement,
  term: AffinityDemand,
): string | undefined {
  const domains = domainsOf(target, term.topologyKey);
  if (domains === undefined) return `its domain of ${term.topologyKey} is open`;
  const selects = allSelect(pod, term, checked.snapshot);
  const lonely = domains.find((domain) => !hasCompany(checked, pod, term, selects, domain));
  if (lonely === undefined) return undefined;
  if (!selects(pod)) return `nobody it wants to be with is in ${lonely}`;
  return domains.length === 1 ? undefined : `it may start in ${domains.length} domains`;
}

function hasCompany(checked: CheckedPlan, pod: Pod, term: AffinityDemand, selects: Selects, domain: string): boolean {
  return matchesIn(checked, term, selects).some((match) => match.domain === domain && match.pod !== pod);
}

interface Match {
  readonly pod: Pod;
  readonly domain: string;
  /** What it wants to be with in turn; a resident wants nothing any more. */
  readonly preferences: readonly AffinityDemand[];
}

/** All selected pods whose domain is known. */
function matchesIn(checked: CheckedPlan, { topologyKey }: AffinityDemand, selects: Selects): readonly Match[] {
  const residents = checked.residents.flatMap((resident) => {
    const domain = domainOf(resident, topologyKey);
    const isMatch = resident.counts && domain !== undefined && selects(resident.pod);
    return isMatch ? [{ pod: resident.pod, domain, preferences: [] }] : [];
  });
  const placed = targetsOf(checked).flatMap((target) => {
    const [domain, another] = domainsOf(target, topologyKey) ?? [];
    if (domain === undefined || another !== undefined) return [];
    const selected = target.placed.filter(({ pod }) => selects(pod));
    return selected.map(({ pod, demands }) => ({ pod, domain, preferences: demands.affinity }));
  });
  return [...residents, ...placed];
}

/** Pods that want to be with their own kind start in one domain only, unless some may not be where the others are (§16.4). */
export const affinityStartsOnce: Rule = (checked) => {
  const kinds = new Map<string, Starter[]>();
  for (const starter of startersOf(checked)) kinds.set(starter.kind, [...(kinds.get(starter.kind) ?? []), starter]);
  return [...kinds.values()].flatMap((starters) => {
    const clash = starters.find((one) =>
      starters.some((other) => one.domain !== other.domain && isFreeOf(starters, one, other)),
    );
    return clash === undefined
      ? []
      : [`${podName(clash.pod)} starts in ${clash.domain} though others started elsewhere`];
  });
};

interface Starter {
  readonly kind: string;
  readonly pod: Pod;
  readonly domain: string;
  readonly mayUse: (domain: string) => boolean;
}

/** Pods in domains where all they want to be with is other pods of this run with the same term. */
function startersOf(checked: CheckedPlan): readonly Starter[] {
  return targetsOf(checked).flatMap((target) =>
    target.placed.flatMap((placed) =>
      placed.demands.affinity.flatMap((term) => {
        const { pod } = placed;
        const selects = allSelect(pod, term, checked.snapshot);
        const [domain, another] = domainsOf(target, term.topologyKey) ?? [];
        if (domain === undefined || another !== undefined || !selects(pod)) return [];
        const preference = JSON.stringify(term);
        const seeds = matchesIn(checked, term, selects).filter(
          (match) =>
            match.domain === domain && !match.preferences.some((other) => JSON.stringify(other) === preference),
        );
        if (seeds.length > 0) return [];
        const strict = placed.demands.strict.get(term.topologyKey);
        const mayUse = (other: string) => strict === undefined || admits(strict, other);
        return [{ kind: `${pod.metadata.namespace ?? 'default'} ${preference}`, pod, domain, mayUse }];
      }),
    ),
  );
}

/** Whether every pod that started in one of the two domains could as well have joined the other. */
function isFreeOf(starters: readonly Starter[], one: Starter, other: Starter): boolean {
  return starters.every((starter) => {
    if (starter.domain === one.domain) return starter.mayUse(other.domain);
    return starter.domain !== other.domain || starter.mayUse(one.domain);
  });
}
