import { BitSet } from '../model/interning/bit-set.ts';
import type { ResourceVector } from '../model/resources/resource-table.ts';
import type { Effort } from './effort.ts';
import type { Load } from './filler.ts';
import type { HostRule } from './host-rules.ts';
import type { Lot } from './lot.ts';
import type { Machine } from './machine.ts';

/** How many machines are looked at in one step. */
export const MACHINES_PER_STEP = 8;

export interface TenderParts {
  readonly lots: readonly Lot[];
  readonly machines: readonly Machine[];
  readonly hostRules: number;
}

/** What is to be housed and what there is to house it, with the numbers of both in flat arrays. */
export class Tender {
  readonly lots: readonly Lot[];
  /** Cheapest first. */
  readonly machines: readonly Machine[];
  /** How many host rules there are. */
  readonly hostRules: number;
  /** How many resources are asked for at all. */
  readonly width: number;
  /** By lot, then by resource. */
  readonly requests: Float64Array;
  /** By machine, then by resource. */
  readonly rooms: Float64Array;
  /** By lot: 1 if no host rule is about it. */
  readonly isSociable: Uint8Array;
  /** By lot: the host rules that limit whom it shares a machine with. */
  readonly minding: readonly (readonly HostRule[])[];

  constructor({ lots, machines, hostRules }: TenderParts) {
    this.lots = lots;
    this.machines = machines;
    this.hostRules = hostRules;
    const used = resourcesIn(lots);
    this.width = used.length;
    this.requests = flatten(
      lots.map(({ requests }) => requests),
      used,
    );
    this.rooms = flatten(
      machines.map(({ room }) => room),
      used,
    );
    this.isSociable = Uint8Array.from(lots, ({ hostRules }) => +(hostRules.length === 0));
    this.minding = lots.map(({ hostRules }) => hostRules.filter(({ most }) => most < Number.POSITIVE_INFINITY));
  }

  /** Whether a unit of a lot may be on a machine and fits: a binary search. */
  takes(machine: number, lot: number): boolean {
    const { lots } = this.machines[machine]!;
    let low = 0;
    let high = lots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lots[middle]! < lot) low = middle + 1;
      else high = middle;
    }
    return lots[low] === lot;
  }

  /** Lots for which there is no machine. */
  homeless(): readonly Lot[] {
    const housed = new BitSet(this.lots.length);
    for (const { lots } of this.machines) for (const lot of lots) housed.add(lot);
    return this.lots.filter(({ id }) => !housed.has(id));
  }

  /** Whether a machine has so much of every resource. */
  hasRoom(machine: number, amounts: Float64Array): boolean {
    for (let r = 0, at = machine * this.width; r < this.width; r++, at++) {
      if (amounts[r]! > this.rooms[at]!) return false;
    }
    return true;
  }

  /** What so many units of a lot ask for, added to `amounts`; a negative count takes it away. */
  addRequests(amounts: Float64Array, lot: number, count: number): void {
    for (let r = 0, at = lot * this.width; r < this.width; r++, at++) amounts[r]! += count * this.requests[at]!;
  }

  /** The cheapest machine for a load, which may have left room on its own. */
  cheapestFor({ machine: own, lots, counts }: Load, effort: Effort): number {
    const amounts = new Float64Array(this.width);
    for (let i = 0; i < lots.length; i++) this.addRequests(amounts, lots[i]!, counts[i]!);
    effort.spend(lots.length + own / MACHINES_PER_STEP);
    for (let machine = 0; machine < own; machine++) {
      if (this.hasRoom(machine, amounts) && this.#takesAll(machine, lots, effort)) return machine;
    }
    return own;
  }

  #takesAll(machine: number, lots: readonly number[], effort: Effort): boolean {
    for (const [i, lot] of lots.entries()) {
      if (this.takes(machine, lot)) continue;
      effort.spend(i + 1);
      return false;
    }
    effort.spend(lots.length);
    return true;
  }
}

/** Numbers of the resources that any lot asks for. */
function resourcesIn(lots: readonly Lot[]): readonly number[] {
  const asked = new Set<number>();
  for (const { requests } of lots) for (let r = 0; r < requests.length; r++) if (requests[r]! > 0) asked.add(r);
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
