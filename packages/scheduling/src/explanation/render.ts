import { formatIncompatibility, formatRequirement, formatRequirements, formatTaint } from '@karpenter-ts/apis';
import { addAmounts, type Amounts, formatQuantity } from '@karpenter-ts/kubernetes';
import type { Relaxation, ValueShortage } from '../plan.ts';
import type {
  Failure,
  InstanceTypeRefusal,
  PoolRefusal,
  TopologyConflict,
  TopologyRefusal,
  TypeTally,
} from '../failure.ts';

/** Upstream's words, which events carry and people search for (spec 02 §§10, 16.4, 19–22). */
export function renderFailure(failure: Failure): string {
  switch (failure.why) {
    case 'NoPools':
      return 'no dynamic nodepools found';
    case 'NoUsablePools':
      return 'nodepool requirements filtered out all available instance types';
    case 'DynamicResources':
      return 'pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter';
    case 'Contradiction':
      return `pod contradicts itself, ${failure.problems.map(formatIncompatibility).join('; ')}`;
    case 'VolumeLookup':
      return `failed getting volume topology requirements (${failure.missing.kind}=${failure.missing.name})`;
    case 'PoolsRefused':
      return failure.refusals.map(renderRefusal).join('; ');
    case 'Truncated':
      return (
        'pod didn’t schedule because NodePool couldn’t meet minValues requirements, validating minValues, ' +
        `${renderShortage(failure.shortOf)} (NodePool=${failure.nodePool})`
      );
    default:
      return failure satisfies never;
  }
}

/** As the debug log has it (spec 02 §18). */
export function renderRelaxation(relaxation: Relaxation): string {
  const affinity = (path: string, term: object) => `removing: spec.affinity.${path}[0]=${JSON.stringify(term)}`;
  switch (relaxation.gaveUp) {
    case 'RequiredNodeTerm':
      return affinity('nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution', relaxation.term);
    case 'PreferredPodAffinity':
      return affinity('podAffinity.preferredDuringSchedulingIgnoredDuringExecution', relaxation.term);
    case 'PreferredPodAntiAffinity':
      return affinity('podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution', relaxation.term);
    case 'PreferredNodeTerm':
      return affinity('nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution', relaxation.term);
    case 'ScheduleAnyway':
      return `removing: spec.topologySpreadConstraints = ${JSON.stringify(relaxation.constraint)}`;
    case 'PreferNoSchedule':
      return 'adding: toleration for PreferNoSchedule taints';
    default:
      return relaxation satisfies never;
  }
}

/** What one pool says. Pools are not named, as upstream does not. */
export function renderRefusal({ nodePool, refusal }: PoolRefusal): string {
  switch (refusal.why) {
    case 'NodeLimit':
      return `node limits have been exhausted for nodepool (NodePool=${nodePool})`;
    case 'ResourceLimits':
      return `all available instance types exceed limits for nodepool (NodePool=${nodePool})`;
    case 'Taints':
      return refusal.untolerated.map((taint) => `did not tolerate taint (taint=${formatTaint(taint)})`).join('; ');
    case 'Requirements':
      return `incompatible requirements, ${refusal.problems.map(formatIncompatibility).join('; ')}`;
    case 'VolumeRequirements':
      return `incompatible volume requirements, ${refusal.problems.map(formatIncompatibility).join('; ')}`;
    case 'Topology':
      return renderTopology(refusal);
    case 'TopologyRequirements':
      return renderConflict(refusal);
    case 'InstanceTypes':
      return renderInstanceTypes(refusal);
    case 'Reservation':
      return refusal.problem === 'Taken'
        ? 'one or more instance types with compatible reserved offerings are available, but could not be reserved'
        : 'satisfying updated nodeclaim constraints would remove all compatible reserved offering options';
    default:
      return refusal satisfies never;
  }
}

/** Of two rules upstream's text says all there is; three may be open in pairs, so then each is told. */
export function renderConflict({ problems, rules }: TopologyConflict): string {
  const text = problems.map(formatIncompatibility).join('; ');
  if (rules.length < 3 && text !== '') return text;
  const each = rules.map(({ rule, key, domains }) => `${RULE_NAMES[rule]} leaves ${key} In [${domains.join(' ')}]`);
  return `${text || 'no common domain'} (${each.join(', ')})`;
}

const RULE_NAMES = {
  spread: 'topology spread',
  affinity: 'pod affinity',
  'anti-affinity': 'pod anti-affinity',
} as const;

const PRINTED_DOMAINS = 25;

/** The bracket stays open: upstream forgot to close it, and texts are matched to the letter. */
function renderTopology({ rule, key, counts, podDomains, nodeDomains }: TopologyRefusal): string {
  const names = [...counts.keys()].sort();
  const printed = names.slice(0, PRINTED_DOMAINS).map((name) => `${name}: ${counts.get(name)}`);
  const more = names.length > PRINTED_DOMAINS ? ` and ${names.length - PRINTED_DOMAINS} other(s)` : '';
  return (
    `unsatisfiable topology constraint for ${RULE_NAMES[rule]}, key=${key} (counts = ${printed.join(', ')}${more}, ` +
    `podDomains = ${formatRequirement(podDomains)}, nodeDomains = ${formatRequirement(nodeDomains)}`
  );
}

const MILLION_CORES = 1_000_000n * 1_000_000_000n;

function renderInstanceTypes(refusal: InstanceTypeRefusal): string {
  const { types, shortOf, requirements, podRequests, avoidedDaemons } = refusal;
  const context = `requirements=${formatRequirements(requirements)}, resources=${resourcesText(refusal)}`;
  if (shortOf.length > 0) return `${renderShortage(shortOf)}, ${context}`;
  const text = `${tallyText(types)}, ${context}${avoidanceText(avoidedDaemons)}`;
  const onlyTooSmall = types.compatible > 0 && types.offered > 0 && types.fitting === 0;
  const looksMistyped = onlyTooSmall && (podRequests.get('cpu')?.nanos ?? 0n) >= MILLION_CORES;
  return looksMistyped ? `${text} (CPU request >= 1 Million, m vs M typo?)` : text;
}

/** Of this upstream has no text: it plans the pod, which then never runs. */
function avoidanceText(daemons: readonly string[]): string {
  return daemons.length === 0 ? '' : ` (pod anti-affinity with daemons: ${daemons.join(', ')})`;
}

/**
 * Of upstream's twelve texts those that can come up: fitting implies an offering, so no text has types that fit and
 * lack one; and where some type fits and none passes all tests, the fitting ones do not meet the requirements.
 */
function tallyText({ compatible, offered, fitting }: TypeTally): string {
  if (compatible === 0) {
    if (fitting > 0) return 'no instance type met all requirements';
    return offered > 0
      ? 'no instance type met the scheduling requirements or had enough resources'
      : 'no instance type met the scheduling requirements or had enough resources or had a required offering';
  }
  if (offered === 0) return 'no instance type had enough resources or had a required offering';
  if (fitting === 0) return 'no instance type has enough resources';
  return 'no instance type which had enough resources and the required offering met the scheduling requirements';
}

/** Which labels have too few values for `minValues`. */
export function renderShortage(shortOf: readonly ValueShortage[]): string {
  const labels = shortOf.map(({ label }) => label).join(' ');
  return `minValues requirement is not met for label(s) (label(s)=[${labels}])`;
}

function resourcesText({ podRequests, leastDaemonRequests, mostDaemonRequests }: InstanceTypeRefusal): string {
  if (leastDaemonRequests.size === 0) return amountsText(podRequests);
  const least = amountsText(addAmounts(leastDaemonRequests, podRequests));
  const most = amountsText(addAmounts(mostDaemonRequests, podRequests));
  return least === most ? least : `min=${least}, max=${most}`;
}

function amountsText(amounts: Amounts): string {
  const entries = [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(entries.map(([name, quantity]) => [name, formatQuantity(quantity)])));
}
