import { admitsAbsence } from '@karpenter-ts/apis';
import type { HostPort } from '../../failure.ts';
import type { TaintTable } from '../../model/pods/taints.ts';
import type { Market } from '../../model/instance-types/market.ts';
import type { BitSet } from '../../model/interning/bit-set.ts';
import { areImpossible, type RequirementSet, type RequirementSets } from '../../model/requirements/requirement-set.ts';
import { type Amounts, smallestAmounts } from '@karpenter-ts/kubernetes';
import { sumRequests } from '../../model/resources/pod-requests.ts';
import type { ResourceTable, ResourceVector } from '../../model/resources/resource-table.ts';
import type { Daemon } from '../daemon.ts';

/** Instance types of a pool on which the same daemons run (spec 02 §12.2). */
export interface OverheadGroup {
  readonly variants: BitSet;
  readonly daemons: readonly Daemon[];
  /** Of the daemons; empty if there are none. */
  readonly requests: Amounts;
  readonly vector: ResourceVector;
  readonly ports: readonly HostPort[];
}

export interface OverheadTables {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly resources: ResourceTable;
}

interface Hosting {
  readonly market: Market;
  readonly variants: BitSet;
  readonly set: RequirementSet;
  readonly taints: number;
}

/** Splits the variants of a template by the daemons that will run on them. */
export function overheadGroupsOf(
  hosting: Hosting,
  daemons: readonly Daemon[],
  tables: OverheadTables,
): readonly OverheadGroup[] {
  let parts: { readonly variants: BitSet; readonly daemons: readonly Daemon[] }[] = [
    { variants: hosting.variants, daemons: [] },
  ];
  for (const daemon of daemons) {
    const hosts = variantsFor(daemon, hosting, tables);
    parts = parts.flatMap((part) => {
      const [inside, outside] = [part.variants.clone(), part.variants.clone()];
      inside.intersect(hosts);
      outside.subtract(hosts);
      return [
        { variants: inside, daemons: [...part.daemons, daemon] },
        { variants: outside, daemons: part.daemons },
      ].filter(({ variants }) => !variants.isEmpty());
    });
  }
  return parts.map((part) => {
    const requests = sumRequests(part.daemons.map((daemon) => daemon.requests));
    return {
      ...part,
      requests,
      vector: tables.resources.toRequests(requests),
      ports: part.daemons.flatMap(({ ports }) => ports),
    };
  });
}

/** What is certain to be taken by daemons whichever of the variants is bought: per resource, the least of any group. */
export function leastOverhead(groups: readonly OverheadGroup[], variants: BitSet): Amounts {
  const possible = groups.filter((group) => group.variants.overlaps(variants));
  return possible.map(({ requests }) => requests).reduce(smallestAmounts);
}

/** Types that say nothing about a label a daemon asks for do not keep it off. No daemon can know a new node's name. */
function variantsFor(daemon: Daemon, { market, variants, set, taints }: Hosting, tables: OverheadTables): BitSet {
  const hosts = variants.clone();
  hosts.clear();
  if (!tables.taints.tolerates(daemon.tolerations, taints)) return hosts;
  for (const term of daemon.terms) {
    if (areImpossible(term) || (term.hostname !== undefined && !admitsAbsence(term.hostname))) continue;
    if (tables.sets.accepts(set, term.set, 'loosely')) hosts.unite(market.supply(term.set).compatible);
  }
  return hosts;
}
