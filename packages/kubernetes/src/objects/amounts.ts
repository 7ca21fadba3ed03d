import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  subtractQuantities,
  ZERO_QUANTITY,
} from '../values/quantity.ts';
import type { ResourceList } from './resource-list.ts';

/** Exact amounts by resource name. One that is not listed counts as none, but is not printed. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** Nothing of any resource. */
export const NO_AMOUNTS: Amounts = new Map();

/** Reads lists of quantities; each text is parsed once, however many objects it stands in. */
export class AmountReader {
  readonly #quantities = new Map<string | number, Quantity>();

  read(list: ResourceList | undefined): Amounts {
    if (list === undefined) return NO_AMOUNTS;
    const amounts = new Map<string, Quantity>();
    for (const name in list) amounts.set(name, this.#parse(list[name]!));
    return amounts;
  }

  #parse(text: string | number): Quantity {
    let quantity = this.#quantities.get(text);
    if (quantity === undefined) {
      quantity = parseQuantity(text);
      this.#quantities.set(text, quantity);
    }
    return quantity;
  }
}

/** The sum of all lists; resources of any of them are listed. */
export function addAmounts(...lists: readonly Amounts[]): Amounts {
  const sum = new Map<string, Quantity>();
  for (const list of lists) {
    for (const [name, quantity] of list) sum.set(name, addQuantities(sum.get(name) ?? ZERO_QUANTITY, quantity));
  }
  return sum;
}

/** `a` less `b`, for the resources of `a` only. */
export function subtractAmounts(a: Amounts, b: Amounts): Amounts {
  const rest = new Map<string, Quantity>();
  for (const [name, quantity] of a) rest.set(name, subtractQuantities(quantity, b.get(name) ?? ZERO_QUANTITY));
  return rest;
}

/** The larger of each resource in either list. */
export function largestAmounts(a: Amounts, b: Amounts): Amounts {
  const largest = new Map(a);
  for (const [name, quantity] of b) {
    const present = largest.get(name);
    if (present === undefined || compareQuantities(quantity, present) > 0) largest.set(name, quantity);
  }
  return largest;
}

/** The smaller of each resource in both lists. */
export function smallestAmounts(a: Amounts, b: Amounts): Amounts {
  const smallest = new Map<string, Quantity>();
  for (const [name, quantity] of a) {
    const other = b.get(name);
    if (other !== undefined) smallest.set(name, compareQuantities(other, quantity) < 0 ? other : quantity);
  }
  return smallest;
}

/** Whether any amount is below zero: such a target fits nothing, not even what does not ask for that resource. */
export function hasNegative(amounts: Amounts): boolean {
  for (const { nanos } of amounts.values()) if (nanos < 0n) return true;
  return false;
}
