import type { Amounts } from './amounts.ts';

/** Amounts of the resources of one ResourceTable, in its units and order. */
export type ResourceVector = Float64Array;

/** Positions every table has; pods are sorted by them. */
export const CPU = 0;
export const MEMORY = 1;

const FIXED_NAMES = ['cpu', 'memory', 'pods'];
const UNIT_NANOS = [1_000_000_000n, 1_000_000n, 1_000n, 1n]; // whole, milli, micro, nano

/** The resources pods ask for, and for each a unit in which every amount seen is a whole number. */
export class ResourceUnits {
  readonly #nanos = new Map<string, bigint>(FIXED_NAMES.map((name) => [name, defaultUnit(name)]));

  /** Nanos by resource. */
  get nanos(): ReadonlyMap<string, bigint> {
    return this.#nanos;
  }

  /** Makes units small enough for these amounts. */
  refine(amounts: Amounts): void {
    for (const [name, { nanos }] of amounts) {
      const unit = this.#nanos.get(name) ?? defaultUnit(name);
      this.#nanos.set(name, nanos % unit === 0n ? unit : finerUnit(unit, nanos));
    }
  }
}

/**
 * The resources of a snapshot in the units it needs. So sums and comparisons of doubles are exact up to 2^53 units:
 * 8 PiB of memory, or nine million cores in billionths. A target beyond that is cut to it, which changes no comparison
 * with what fits a machine.
 */
export class ResourceTable {
  readonly names: readonly string[];
  readonly #index: ReadonlyMap<string, number>;
  readonly #unitNanos: readonly bigint[];

  constructor({ nanos }: ResourceUnits) {
    this.names = [...nanos.keys()];
    this.#index = new Map(this.names.map((name, i) => [name, i]));
    this.#unitNanos = [...nanos.values()];
  }

  /** Whether these amounts can be held without loss: of known resources and in whole units. */
  canHold(amounts: Amounts): boolean {
    for (const [name, { nanos }] of amounts) {
      const i = this.#index.get(name);
      if (i === undefined ? nanos !== 0n : nanos % this.#unitNanos[i]! !== 0n) return false;
    }
    return true;
  }

  /** What is asked for. Resources not in the table must not be asked for. */
  toRequests(amounts: Amounts): ResourceVector {
    const vector = new Float64Array(this.names.length);
    for (const [name, { nanos }] of amounts) {
      const i = this.#index.get(name);
      if (i !== undefined) vector[i] = toUnits(nanos, this.#unitNanos[i]!);
    }
    return vector;
  }

  /** How much of the resource at `i` a target has, in its unit; a fraction of a unit is no use to anyone. */
  toTarget(i: number, nanos: bigint): number {
    return toUnits(nanos, this.#unitNanos[i]!);
  }

  /** The unit of the resource at `i`: what depends on no more of the table can be kept for another with the same. */
  unitOf(i: number): bigint {
    return this.#unitNanos[i]!;
  }

  /** How much of a resource a vector has: none of those not in the table. */
  nanosOf(name: string, vector: ResourceVector): bigint {
    const i = this.#index.get(name);
    return i === undefined ? 0n : BigInt(vector[i]!) * this.#unitNanos[i]!;
  }
}

/** CPU is often given in small fractions, and a machine's in nanos is far below 2^53: one unit for all snapshots. */
function defaultUnit(name: string): bigint {
  return name === 'cpu' ? 1n : UNIT_NANOS[0]!;
}

function finerUnit(unit: bigint, nanos: bigint): bigint {
  return UNIT_NANOS.find((candidate) => candidate < unit && nanos % candidate === 0n)!;
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

function toUnits(nanos: bigint, unit: bigint): number {
  const units = nanos / unit; // towards zero
  const floor = nanos < 0n && units * unit !== nanos ? units - 1n : units;
  return Number(floor > MOST ? MOST : floor < -MOST ? -MOST : floor);
}
