import type { ResourceVector } from '../resources/resource-table.ts';
import type { Load } from './filler.ts';
import type { Lot } from './lot.ts';
import type { Machine } from './machine.ts';

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
  /** By machine, then by lot: 1 if a unit may be on it and fits. */
  readonly #takes: Uint8Array;

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
    this.#takes = new Uint8Array(machines.length * lots.length);
    for (const [machine, { lots: fitting }] of machines.entries()) {
      for (const lot of fitting) this.#takes[machine * lots.length + lot] = 1;
    }
  }

  takes(machine: number, lot: number): boolean {
    return this.#takes[machine * this.lots.length + lot] === 1;
  }

  /** Lots for which there is no machine. */
  homeless(): readonly Lot[] {
    return this.lots.filter(({ id }) => !this.machines.some((_, machine) => this.takes(machine, id)));
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
  cheapestFor({ machine: own, lots, counts }: Load): number {
    const amounts = new Float64Array(this.width);
    for (let i = 0; i < lots.length; i++) this.addRequests(amounts, lots[i]!, counts[i]!);
    for (let machine = 0; machine < own; machine++) {
      if (this.hasRoom(machine, amounts) && lots.every((lot) => this.takes(machine, lot))) return machine;
    }
    return own;
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
