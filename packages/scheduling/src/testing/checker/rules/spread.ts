import {
  admits,
  findIncompatibilities,
  HOSTNAME_LABEL,
  normalizeLabelKey,
  type Requirements,
  toLabelRequirements,
} from '@karpenter-ts/apis';
import type { Taint, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import { podName } from '../../../model/pods/pod-id.ts';
import type { NodeFacts } from '../../../snapshot.ts';
import { findUntolerated, requiredAlternatives } from '../demands.ts';
import type { Rule } from '../rule.ts';
import { type Selects, spreadSelects } from '../selection.ts';
import { domainOf, domainsOf, type Target, targetsOf, type Placement, type CheckedPlan } from '../checked-plan.ts';

/**
 * Pods that must be spread are spread (§16). A plan does not tell in which order its nodes filled up, so the rule asks
 * what holds in any order: when the last pod with the constraint came into a domain, those before it were there, and
 * no domain had more pods than it has in the end.
 */
export const podsSpread: Rule = (checked) =>
  targetsOf(checked).flatMap((target) =>
    target.placed.flatMap((owner) =>
      owner.demands.spreads.flatMap((constraint) => {
        const selects = spreadSelects(owner.pod, constraint);
        const problem = findProblem({ checked, owner, constraint, selects }, target);
        return problem === undefined ? [] : [`${podName(owner.pod)} on ${target.hostname}: ${problem}`];
      }),
    ),
  );

/** A constraint as one pod has it. */
interface Spread {
  readonly checked: CheckedPlan;
  readonly owner: Placement;
  readonly constraint: TopologySpreadConstraint;
  readonly selects: Selects;
}

function findProblem(spread: Spread, target: Target): string | undefined {
  const { topologyKey: key, maxSkew } = spread.constraint;
  const domain = onlyDomain(target, key);
  if (domain === undefined) return `its domain of ${key} is open`;
  const joined = spread.selects(spread.owner.pod) ? peersIn(spread, domain) : [];
  const fewest = Math.max(...[spread.owner, ...joined].map((owner) => fewestIn({ ...spread, owner })));
  const skew = (countResidents(spread).get(domain) ?? 0) + joined.length - fewest;
  return skew > maxSkew ? `${key} ${domain} is ${skew} ahead of the emptiest, more than ${maxSkew}` : undefined;
}

function onlyDomain(target: Target, key: string): string | undefined {
  const domains = domainsOf(target, key) ?? [];
  return domains.length === 1 ? domains[0] : undefined;
}

/** The pods of this run with the same constraint that came into the domain and count for it. */
function peersIn(spread: Spread, domain: string): readonly Placement[] {
  const { checked, owner, constraint, selects } = spread;
  const identity = JSON.stringify(constraint);
  return targetsOf(checked)
    .filter((target) => onlyDomain(target, constraint.topologyKey) === domain && isCounted(spread, target))
    .flatMap(({ placed }) => placed)
    .filter((peer) => peer.pod.metadata.namespace === owner.pod.metadata.namespace && selects(peer.pod))
    .filter(({ demands }) => demands.spreads.some((other) => JSON.stringify(other) === identity));
}

/** How many matching pods the emptiest domain has in the end, of those the pod may use and those with nodes that count. */
function fewestIn(spread: Spread): number {
  const { topologyKey: key, minDomains } = spread.constraint;
  if (key === HOSTNAME_LABEL) return 0; // a new, empty host can always be had
  const allowed = spread.owner.demands.strict.get(key);
  const counts = countAll(spread);
  const present = new Set([...presentDomains(spread), ...countResidents(spread).keys()]);
  const domains = domainUniverse(spread).filter(
    (domain) => present.has(domain) || allowed === undefined || admits(allowed, domain),
  );
  if (minDomains !== undefined && domains.length < minDomains) return 0;
  return Math.min(...domains.map((domain) => counts.get(domain) ?? 0));
}

/** Every value of the key that a new or existing node may have, and where there are pods that count (§§16.2, 16.3). */
function domainUniverse(spread: Spread): readonly string[] {
  const { checked, owner, constraint } = spread;
  const key = constraint.topologyKey;
  const pools = checked.pools.filter(
    ({ taints }) => constraint.nodeTaintsPolicy !== 'Honor' || tolerates(owner, taints),
  );
  const offered = pools.flatMap(({ domains }) => [...(domains.get(key) ?? [])]);
  return [...new Set([...offered, ...presentDomains(spread), ...countResidents(spread).keys()])];
}

/** Domains in which there are nodes that count, or may be once the plan is carried out. */
function presentDomains(spread: Spread): readonly string[] {
  const { snapshot, planned } = spread.checked;
  const { topologyKey: key } = spread.constraint;
  const existing = snapshot.nodes.flatMap(({ node }) => {
    const value = node?.labels[key];
    return node === undefined || value === undefined || !isNodeCounted(spread, node) ? [] : [value];
  });
  const bought = planned.flatMap((target) =>
    (domainsOf(target, key) ?? []).filter((domain) => {
      const label = toLabelRequirements({ [key]: domain }, spread.checked.options.profile);
      return isMatched(spread, new Map([...target.node.requirements, ...label]), target.taints);
    }),
  );
  return [...existing, ...bought];
}

function countResidents(spread: Spread): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const resident of spread.checked.residents) {
    if (!resident.counts || !spread.selects(resident.pod) || !isNodeCounted(spread, resident)) continue;
    const domain = domainOf(resident, spread.constraint.topologyKey);
    if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return counts;
}

/** Residents, and pods of this run on nodes whose domain is known. */
function countAll(spread: Spread): ReadonlyMap<string, number> {
  const counts = new Map(countResidents(spread));
  for (const target of targetsOf(spread.checked)) {
    const domain = onlyDomain(target, spread.constraint.topologyKey);
    if (domain === undefined) continue;
    const matching = target.placed.filter(({ pod }) => spread.selects(pod)).length;
    if (matching > 0) counts.set(domain, (counts.get(domain) ?? 0) + matching);
  }
  return counts;
}

function isNodeCounted(spread: Spread, { labels, taints }: NodeFacts): boolean {
  return isMatched(spread, toLabelRequirements(labels, spread.checked.options.profile), taints);
}

function isCounted(spread: Spread, target: Target): boolean {
  if (target.kind === 'planned') return isMatched(spread, target.node.requirements, target.taints);
  const { labels, taints } = target.node;
  return isNodeCounted(spread, { labels: { [HOSTNAME_LABEL]: target.hostname, ...labels }, taints });
}

/**
 * Whether the constraint looks at nodes like this and the pods on them: its policies decide (§16.3), and a hard one looks
 * only at nodes with the labels of all hard constraints of the pod. Well-known labels every node has.
 */
function isMatched({ checked, owner, constraint }: Spread, node: Requirements, taints: readonly Taint[]): boolean {
  const alternatives = requiredAlternatives(owner.pod, checked.options.profile);
  const isWanted =
    constraint.nodeAffinityPolicy === 'Ignore' ||
    alternatives.some((asked) => findIncompatibilities(node, asked).length === 0);
  const hasKeys =
    constraint.whenUnsatisfiable !== 'DoNotSchedule' ||
    owner.demands.spreads.every(
      ({ topologyKey: key, whenUnsatisfiable }) =>
        whenUnsatisfiable !== 'DoNotSchedule' ||
        key === HOSTNAME_LABEL ||
        checked.options.profile.wellKnownLabels.has(normalizeLabelKey(key, checked.options.profile)) ||
        node.has(key),
    );
  return isWanted && hasKeys && (constraint.nodeTaintsPolicy !== 'Honor' || tolerates(owner, taints));
}

/** A taint that merely puts off hides no node from the rule. */
function tolerates({ pod }: Placement, taints: readonly Taint[]): boolean {
  return findUntolerated(pod, taints, true) === undefined;
}
