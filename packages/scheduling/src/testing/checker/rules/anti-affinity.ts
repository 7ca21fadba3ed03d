import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { Pod, PodAffinityTerm } from '@karpenter-ts/kubernetes';
import { podName } from '../../../model/pods/pod-id.ts';
import type { Rule } from '../rule.ts';
import { termSelects } from '../selection.ts';
import { domainOf, domainsOf, type Target, targetsOf, type CheckedPlan } from '../checked-plan.ts';

/** A pod shares no domain, not even a possible one, with pods it must be apart from (§§16.4, 16.5). */
export const antiAffinityMet: Rule = (checked) =>
  forPlaced(checked, (target, index) => {
    const placed = target.placed[index]!;
    return placed.demands.requiredAntiAffinity.flatMap((term) => {
      const selects = termSelects(placed.pod, term, checked.snapshot);
      const domains = domainsOf(target, term.topologyKey);
      const neighbours = [...residentsIn(checked, term, domains), ...arrivalsIn(checked, term, domains)];
      return neighbours
        .filter((other) => other !== placed.pod && selects(other))
        .map((other) => `${podName(placed.pod)} is not apart from ${podName(other)} in ${term.topologyKey}`);
    });
  });

/** A preference that was kept holds against those who were there first; it binds nobody who comes later (§16.1). */
export const preferredAntiAffinityMet: Rule = (checked) =>
  forPlaced(checked, (target, index) => {
    const placed = target.placed[index]!;
    return placed.demands.preferredAntiAffinity.flatMap((term) => {
      const selects = termSelects(placed.pod, term, checked.snapshot);
      const isKnown = term.topologyKey === HOSTNAME_LABEL; // a domain may have been open when those before came
      const before = isKnown ? target.placed.slice(0, index).map(({ pod }) => pod) : [];
      return [...residentsIn(checked, term, domainsOf(target, term.topologyKey)), ...before]
        .filter(selects)
        .map((other) => `${podName(placed.pod)} was to be apart from ${podName(other)} in ${term.topologyKey}`);
    });
  });

/** Pods that stay keep others away, even while they terminate (§16.1, inverse). */
export const residentsLeftAlone: Rule = (checked) =>
  checked.residents.flatMap((resident) => {
    const { requiredDuringSchedulingIgnoredDuringExecution: terms = [] } =
      resident.pod.spec.affinity?.podAntiAffinity ?? {};
    return terms.flatMap((term) => {
      const domain = resident.labels[term.topologyKey];
      if (domain === undefined) return [];
      return arrivalsIn(checked, term, [domain])
        .filter(termSelects(resident.pod, term, checked.snapshot))
        .map((pod) => `${podName(resident.pod)} keeps ${podName(pod)} away from ${domain}`);
    });
  });

function forPlaced(
  checked: CheckedPlan,
  judge: (target: Target, index: number) => readonly string[],
): readonly string[] {
  return targetsOf(checked).flatMap((target) => target.placed.flatMap((_, index) => judge(target, index)));
}

function residentsIn(
  checked: CheckedPlan,
  { topologyKey }: PodAffinityTerm,
  domains: readonly string[] = [],
): readonly Pod[] {
  return checked.residents
    .filter((resident) => resident.counts && domains.includes(domainOf(resident, topologyKey) ?? ''))
    .map(({ pod }) => pod);
}

/** Pods of this run that may come into one of the domains. */
function arrivalsIn(
  checked: CheckedPlan,
  { topologyKey }: PodAffinityTerm,
  domains: readonly string[] = [],
): readonly Pod[] {
  return targetsOf(checked)
    .filter((target) => (domainsOf(target, topologyKey) ?? []).some((domain) => domains.includes(domain)))
    .flatMap(({ placed }) => placed.map(({ pod }) => pod));
}
