import type { ResourceVector } from '../model/resources/resource-table.ts';
import type { Effort } from './effort.ts';
import type { Load } from './filler.ts';
import type { ExclusiveNeed } from './exclusive-needs.ts';
import type { HostRule } from './host-rules.ts';
import type { PodGroup } from './pod-groups.ts';
import { assignedTo, type NodeOption } from './node-options.ts';

/** How many node options are looked at in one step. */
export const OPTIONS_PER_STEP = 8;

export interface PackingProblemParts {
  readonly groups: readonly PodGroup[];
  readonly options: readonly NodeOption[];
  readonly hostRules: number;
  /** By pod group. */
  readonly exclusive: readonly (readonly ExclusiveNeed[])[];
}

/** What is to get a place and what there is to put it on, with the numbers of both in flat arrays. */
export class PackingProblem {
  readonly groups: readonly PodGroup[];
  /** Cheapest first. */
  readonly options: readonly NodeOption[];
  /** How many host rules there are. */
  readonly hostRules: number;
  /** How many resources are asked for at all. */
  readonly width: number;
  /** By pod group, then by resource. */
  readonly requests: Float64Array;
  /** By node option, then by resource. */
  readonly rooms: Float64Array;
  /** By pod group: labels of which it needs one value. */
  readonly exclusive: readonly (readonly ExclusiveNeed[])[];
  /** How many labels these are. */
  readonly exclusiveLabels: number;
  /** By pod group: 1 if it may share a node with all others. */
  readonly isUnrestricted: Uint8Array;
  /** By pod group: the host rules that limit whom it shares a node with. */
  readonly limiting: readonly (readonly HostRule[])[];

  constructor({ groups, options, hostRules, exclusive }: PackingProblemParts) {
    this.groups = groups;
    this.options = options;
    this.hostRules = hostRules;
    this.exclusive = exclusive;
    this.exclusiveLabels = exclusive.reduce(
      (most, needs) => needs.reduce((so, { label }) => Math.max(so, label + 1), most),
      0,
    );
    const used = resourcesIn(groups);
    this.width = used.length;
    this.requests = flatten(
      groups.map(({ requests }) => requests),
      used,
    );
    this.rooms = flatten(
      options.map(({ room }) => room),
      used,
    );
    this.isUnrestricted = Uint8Array.from(
      groups,
      ({ hostRules }, group) => +(hostRules.length === 0 && exclusive[group]!.length === 0),
    );
    this.limiting = groups.map(({ hostRules }) => hostRules.filter(({ most }) => most < Number.POSITIVE_INFINITY));
  }

  /** Whether a unit of a pod group may be on a node option and fits: a binary search. */
  takes(option: number, group: number): boolean {
    const { groups } = this.options[option]!;
    let low = 0;
    let high = groups.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (groups[middle]! < group) low = middle + 1;
      else high = middle;
    }
    return groups[low] === group;
  }

  /** Pod groups that cannot found any node option. */
  unassignable(): readonly PodGroup[] {
    const assigned = assignedTo(this.options);
    return this.groups.filter(({ id }) => !assigned.has(id));
  }

  /** Whether a node option has so much of every resource. */
  hasRoom(option: number, amounts: Float64Array): boolean {
    for (let r = 0, at = option * this.width; r < this.width; r++, at++) {
      if (amounts[r]! > this.rooms[at]!) return false;
    }
    return true;
  }

  /** What so many units of a pod group ask for, added to `amounts`; a negative count takes it away. */
  addRequests(amounts: Float64Array, group: number, count: number): void {
    for (let r = 0, at = group * this.width; r < this.width; r++, at++) amounts[r]! += count * this.requests[at]!;
  }

  /** The cheapest node option for a load, which may have left room on its own. */
  cheapestFor({ option: own, groups, counts }: Load, effort: Effort): number {
    const amounts = new Float64Array(this.width);
    for (let i = 0; i < groups.length; i++) this.addRequests(amounts, groups[i]!, counts[i]!);
    effort.spend(groups.length + own / OPTIONS_PER_STEP);
    for (let option = 0; option < own; option++) {
      if (this.hasRoom(option, amounts) && this.#takesAll(option, groups, effort)) return option;
    }
    return own;
  }

  #takesAll(option: number, groups: readonly number[], effort: Effort): boolean {
    const { inNeed } = this.options[option]!;
    effort.spend(inNeed?.length ?? 0);
    if (inNeed !== undefined && !groups.some((group) => inNeed.includes(group))) return false;
    for (const [i, group] of groups.entries()) {
      if (this.takes(option, group)) continue;
      effort.spend(i + 1);
      return false;
    }
    effort.spend(groups.length);
    return true;
  }
}

/** Numbers of the resources that any pod group asks for. */
function resourcesIn(groups: readonly PodGroup[]): readonly number[] {
  const asked = new Set<number>();
  for (const { requests } of groups) for (let r = 0; r < requests.length; r++) if (requests[r]! > 0) asked.add(r);
  return [...asked].sort((a, b) => a - b);
}

/** One vector behind the other, with these of their numbers. */
function flatten(vectors: readonly ResourceVector[], numbers: readonly number[]): Float64Array {
  const flat = new Float64Array(vectors.length * numbers.length);
  for (const [i, vector] of vectors.entries()) {
    for (const [j, number] of numbers.entries()) flat[i * numbers.length + j] = vector[number]!;
  }
  return flat;
}
