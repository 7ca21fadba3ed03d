import type { Amounts, Quantity } from '@karpenter-ts/kubernetes';

/** Amounts of the resources of one ResourceTable, in the units of each and in its order. */
export type ResourceVector = Float64Array;

/** Positions every table has; pods are sorted by them. */
export const CPU = 0;
export const MEMORY = 1;

const FIXED_NAMES = ['cpu', 'memory', 'pods'];
const MILLI_NANOS = 1_000_000n;
const WHOLE_NANOS = 1_000_000_000n;

/**
 * What the kube-scheduler counts of a pod's requests: thousandths of CPU and whole units of everything else, a fraction
 * counting as one. A hundred pods of half a byte take a hundred bytes there.
 */
export function roundUpRequests(requests: Amounts): Amounts {
  const rounded = new Map<string, Quantity>();
  for (const [name, { nanos, format }] of requests) {
    rounded.set(name, { nanos: unitsFor(name, nanos) * unitOf(name), format });
  }
  return rounded;
}

/** How many units it takes to give so much. */
function unitsFor(name: string, nanos: bigint): bigint {
  const units = nanos / unitOf(name); // towards zero
  return units * unitOf(name) < nanos ? units + 1n : units;
}

/** Nanos in what one of a vector stands for. The same for every snapshot, whatever its pods ask for. */
function unitOf(name: string): bigint {
  return name === 'cpu' ? MILLI_NANOS : WHOLE_NANOS;
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * How much of a resource a target has, in whole units: a fraction of one is no use to anyone. More than 2^53 units (8 PiB
 * of memory) are cut to that, and no request beyond it fits, so that sums and comparisons of doubles are exact.
 */
export function toTarget(name: string, nanos: bigint): number {
  const unit = unitOf(name);
  const units = nanos / unit; // towards zero
  const floor = nanos < 0n && units * unit !== nanos ? units - 1n : units;
  return Number(floor > MOST ? MOST : floor < -MOST ? -MOST : floor);
}

/** The resources the pods of a snapshot ask for. */
export class ResourceTable {
  readonly names: readonly string[];
  readonly #index: ReadonlyMap<string, number>;

  constructor(asked: Iterable<string>) {
    // By name: which pod was read first must not decide how ties between amounts fall, nor in what order they are added.
    const others = [...new Set(asked)].filter((name) => !FIXED_NAMES.includes(name)).sort();
    this.names = [...FIXED_NAMES, ...others];
    this.#index = new Map(this.names.map((name, i) => [name, i]));
  }

  /** Whether all resources asked for are in the table. */
  knows(requests: Amounts): boolean {
    for (const [name, { nanos }] of requests) if (nanos !== 0n && !this.#index.has(name)) return false;
    return true;
  }

  /** What is asked for; infinitely much where it is more than any target can have. */
  toRequests(requests: Amounts): ResourceVector {
    const vector = new Float64Array(this.names.length);
    for (const [name, { nanos }] of requests) {
      const i = this.#index.get(name);
      if (i === undefined) continue;
      const units = unitsFor(name, nanos);
      vector[i] = units > MOST ? Number.POSITIVE_INFINITY : Number(units);
    }
    return vector;
  }

  /** How much a target has of each resource, by position. */
  toTargets(amounts: Amounts): ResourceVector {
    return Float64Array.from(this.names, (name) => toTarget(name, amounts.get(name)?.nanos ?? 0n));
  }

  /** How much of a resource a vector has: none of those not in the table. */
  nanosOf(name: string, vector: ResourceVector): bigint {
    const i = this.#index.get(name);
    return i === undefined ? 0n : BigInt(vector[i]!) * unitOf(name);
  }
}
