import { equal } from './equality.ts';
import { type CelError, type CelResult, type CelValue, Structured, Uint } from './value.ts';

/** A map. Keys are bools, ints, uints, strings; numbers of different types that are equal are one key. */
export abstract class CelMap extends Structured {
  readonly typeName = 'map';
  abstract readonly size: number;
  /** The value of a key, undefined where there is none, or an error: a key of a type the map cannot have. */
  abstract find(key: CelValue): CelResult | undefined;
  abstract keys(): Iterable<CelValue>;

  /** The same keys with equal values; values that cannot be compared do not make maps unequal, as in cel-go. */
  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelMap) || this.size !== other.size) return false;
    for (const key of this.keys()) {
      const theirs = other.find(key);
      if (theirs === undefined || equal(this.find(key)!, theirs) === false) return false;
    }
    return true;
  }

  /** The same data without its schema; see `withoutSchema`. */
  untyped(): CelValue {
    return this;
  }
}

/** A map of entries at hand, in the order they were written. */
export class EntryMap extends CelMap {
  readonly #entries = new Map<CelValue, { readonly key: CelValue; readonly value: CelResult }>();

  get size(): number {
    return this.#entries.size;
  }

  find(key: CelValue): CelResult | undefined {
    return this.#entries.get(identityOf(key))?.value;
  }

  *keys(): Generator<CelValue> {
    for (const { key } of this.#entries.values()) yield key;
  }

  /** Only while the map is built. A key that is there already is replaced. */
  set(key: CelValue, value: CelResult): void {
    this.#entries.set(identityOf(key), { key, value });
  }

  /** Only while the map is built. */
  delete(key: CelValue): void {
    this.#entries.delete(identityOf(key));
  }
}

/** What stands for a key in a JavaScript map: numbers that are equal are the same, whatever their type. */
function identityOf(key: CelValue): CelValue {
  if (key instanceof Uint) return key.value;
  return typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : key;
}
