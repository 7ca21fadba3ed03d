import type { InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import type { MemberRules, MemberRulesTable } from './member-rules.ts';

/** Pods that move together or not at all: one, or those on one node that hostname affinity ties to each other. */
export interface Unit {
  /** In the order they were placed. */
  readonly members: readonly Member[];
  /** Where upstream's plan has them. */
  readonly node: InFlightNode;
}

/** A pod of a unit, and what it has to do with others. */
export interface Member {
  readonly entry: HistoryEntry;
  readonly rules: MemberRules;
}

/** The pods of a node as units, in the order of their first pods. */
export function unitsOf(
  node: InFlightNode,
  entries: readonly HistoryEntry[],
  table: MemberRulesTable,
): readonly Unit[] {
  const members = entries.map((entry) => ({ entry, rules: table.of(entry) }));
  const leaders = leadersOf(members);
  const units = new Map<number, Member[]>();
  for (const [i, member] of members.entries()) {
    const unit = units.get(leaders[i]!);
    if (unit === undefined) units.set(leaders[i]!, [member]);
    else unit.push(member);
  }
  return [...units.values()].map((unit) => ({ members: unit, node }));
}

/** For each member, the number of one that speaks for all who must be together with it, directly or through others. */
function leadersOf(members: readonly Member[]): Int32Array {
  const leaders = Int32Array.from(members, (_, i) => i);
  const leaderOf = (of: number): number => {
    let i = of;
    while (leaders[i] !== i) i = leaders[i] = leaders[leaders[i]!]!;
    return i;
  };
  const affinities = new Set(members.flatMap(({ rules }) => rules.affinities));
  const firstDrawn = new Map<unknown, number>();
  for (const [i, { rules }] of members.entries()) {
    for (const affinity of rules.drawnTo) {
      if (!affinities.has(affinity)) continue;
      const first = firstDrawn.get(affinity);
      if (first === undefined) firstDrawn.set(affinity, i);
      else leaders[leaderOf(i)] = leaderOf(first);
    }
  }
  return leaders.map((_, i) => leaderOf(i));
}
