import { equal } from './equality.ts';
import { type CelError, type CelResult, type CelValue, Structured } from './value.ts';

/** A list. Elements may be converted only when asked for, and one that cannot be is an error in its place. */
export abstract class CelList extends Structured {
  readonly typeName = 'list';
  abstract readonly size: number;
  /** The element at `index`, which must be one of 0 … size − 1. */
  abstract at(index: number): CelResult;

  /** Elements in pairs; ones that cannot be compared do not make lists unequal, which is how cel-go has it. */
  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList) || this.size !== other.size) return false;
    for (let i = 0; i < this.size; i++) {
      if (equal(this.at(i), other.at(i)) === false) return false;
    }
    return true;
  }

  /** True when an element equals `value`; elements that cannot be compared are passed over. */
  contains(value: CelValue): boolean | CelError {
    for (let i = 0; i < this.size; i++) {
      if (equal(value, this.at(i)) === true) return true;
    }
    return false;
  }

  /** This list, then the other. */
  add(other: CelList): CelList {
    if (this.size === 0) return other;
    return other.size === 0 ? this : new ArrayList([...this, ...other]);
  }

  /** The same data without its schema; see `withoutSchema`. */
  untyped(): CelValue {
    return this;
  }

  *[Symbol.iterator](): Generator<CelResult> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

/** A list of values at hand. */
export class ArrayList extends CelList {
  readonly #elements: CelResult[];

  constructor(elements: CelResult[]) {
    super();
    this.#elements = elements;
  }

  get size(): number {
    return this.#elements.length;
  }

  at(index: number): CelResult {
    return this.#elements[index]!;
  }

  /** Only for a fold that builds the list and has shown it to nobody. */
  push(element: CelValue): void {
    this.#elements.push(element);
  }
}
