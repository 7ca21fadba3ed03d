import type { OpenNode } from '../packing/open-node.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import { HostGroup } from '../topology/host-group.ts';
import type { Ties, Topology } from '../topology/topology.ts';

/** Pods that move together or not at all: one, or those on one node that hostname affinity ties to each other. */
export interface Unit {
  /** In the order they were placed. */
  readonly members: readonly Member[];
  /** Where upstream's plan has them. */
  readonly node: OpenNode;
}

/** A pod of a unit, and what it has to do with others. */
export interface Member {
  readonly entry: HistoryEntry;
  readonly ties: Ties;
}

/** The pods of a node as units, in the order of their first pods. */
export function unitsOf(node: OpenNode, entries: readonly HistoryEntry[], topology: Topology): readonly Unit[] {
  const members = entries.map((entry) => ({
    entry,
    ties: topology.ties(entry.queued.podClass.kind, entry.stage),
  }));
  const companies = companiesOf(members);
  const units = new Map<ReadonlySet<Member> | Member, Member[]>();
  for (const member of members) {
    const key = companies.find((company) => company.has(member)) ?? member;
    const unit = units.get(key);
    if (unit === undefined) units.set(key, [member]);
    else unit.push(member);
  }
  return [...units.values()].map((unit) => ({ members: unit, node }));
}

/** Members that must be together, directly or through others; no two of the sets overlap. */
function companiesOf(members: readonly Member[]): readonly ReadonlySet<Member>[] {
  const affinities = new Set(members.flatMap(({ ties }) => ties.binding.map(({ group }) => group).filter(isCompany)));
  let companies: readonly ReadonlySet<Member>[] = [];
  for (const affinity of affinities) {
    const drawn = new Set(members.filter(({ ties }) => isDrawn(ties, affinity)));
    const joined = companies.filter((company) => !company.isDisjointFrom(drawn));
    const rest = companies.filter((company) => company.isDisjointFrom(drawn));
    companies = [...rest, joined.reduce<ReadonlySet<Member>>((all, company) => all.union(company), drawn)];
  }
  return companies;
}

function isCompany(group: Ties['counting'][number]): boolean {
  return group instanceof HostGroup && group.rule.kind === 'affinity';
}

function isDrawn({ binding, counting }: Ties, affinity: Ties['counting'][number]): boolean {
  return counting.includes(affinity) || binding.some(({ group }) => group === affinity);
}
