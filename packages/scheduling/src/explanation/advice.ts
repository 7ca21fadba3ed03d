// What a person can do something about, in our own words; the texts others search for are in render.ts.
import { formatIncompatibility, formatTaint } from '@karpenter-ts/apis';
import { type Amounts, formatQuantity } from '@karpenter-ts/kubernetes';
import type { HostPort, Refusal, TopologyRefusal, TypeTally } from '../failure.ts';
import type { PoolExplanation } from './explainer.ts';
import { renderConflict, renderRefusal } from './render.ts';
import type { Shortfall } from './shortfall.ts';

/** What a pool lacked for a pod, in one line with the numbers that failed. */
export function adviceOn({ nodePool, refusal, nearestMiss }: PoolExplanation): string {
  const text = adviceFor(refusal) ?? renderRefusal({ nodePool, refusal });
  return nearestMiss === undefined ? text : `${text}; nearest: ${describeShortfall(nearestMiss)}`;
}

/** An instance type and what stands in its way. */
export function describeShortfall(shortfall: Shortfall): string {
  const { instanceType, conflicts, lacks, isUnavailable, takenPorts, avoidedDaemons } = shortfall;
  const obstacles = [
    ...conflicts.map(formatIncompatibility),
    ...(lacks.size === 0 ? [] : [`lacks ${amounts(lacks)}`]),
    ...(takenPorts.length === 0 ? [] : [`a daemon has ${ports(takenPorts)}`]),
    ...avoidedDaemons.map((name) => `anti-affinity with its daemon ${name}`),
    ...(isUnavailable ? ['cannot be had that way now'] : []),
  ];
  return `${instanceType}: ${obstacles.length === 0 ? 'beyond the limits of the pool' : obstacles.join(', ')}`;
}

/** `undefined` where there is nothing to add to what upstream says. */
function adviceFor(refusal: Refusal): string | undefined {
  switch (refusal.why) {
    case 'NodeLimit':
      return `it has ${formatQuantity(refusal.limit)} nodes, as many as it may`;
    case 'ResourceLimits':
      return `it may grow by ${amounts(refusal.remaining)}; its smallest types add ${amounts(refusal.smallest)}`;
    case 'Taints':
      return `the pod does not tolerate ${refusal.untolerated.map(formatTaint).join(', ')}`;
    case 'Requirements':
      return refusal.problems.map(formatIncompatibility).join(', ');
    case 'VolumeRequirements':
      return `its volumes: ${refusal.problems.map(formatIncompatibility).join(', ')}`;
    case 'Topology':
      return adviceOnTopology(refusal);
    case 'TopologyRequirements':
      return `rules about other pods: ${renderConflict(refusal)}`;
    case 'InstanceTypes':
      return refusal.shortOf.length === 0
        ? adviceOnTypes(refusal.types)
        : refusal.shortOf.map(({ label, wanted, found }) => `${found} of ${wanted} values of ${label}`).join(', ');
    case 'Reservation':
      return refusal.problem === 'Taken'
        ? `waits for reserved capacity: ${refusal.reservations.join(', ')}`
        : `would cost a node its reserved capacity: ${refusal.reservations.join(', ')}`;
    default:
      return undefined;
  }
}

function adviceOnTypes({ considered, compatible, offered, fitting }: TypeTally): string {
  return (
    `of ${considered} types ${compatible} meet the requirements, ${offered} can be had within them, ` +
    `${fitting} of these are large enough`
  );
}

const SHOWN = 5;

function adviceOnTopology({ rule, key, counts }: TopologyRefusal): string {
  const domains = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${name} ${count}`);
  const more = domains.length > SHOWN ? ` and ${domains.length - SHOWN} more` : '';
  const listed =
    domains.length === 0 ? 'no node has it' : `matching pods: ${domains.slice(0, SHOWN).join(', ')}${more}`;
  return `no place by its ${rule} over ${key} (${listed})`;
}

function amounts(list: Amounts): string {
  return [...list].map(([name, quantity]) => `${name} ${formatQuantity(quantity)}`).join(', ');
}

function ports(list: readonly HostPort[]): string {
  return list.map(({ port, protocol }) => `port ${port}/${protocol}`).join(', ');
}
