import type { Requirement } from '@karpenter-ts/apis';
import { BitSet } from '../interning/bit-set.ts';
import { SparseSet } from '../interning/sparse-set.ts';
import type { Mode, RequirementSet, RequirementSets } from './requirement-set.ts';
import type { RequirementId } from './requirement-table.ts';

/** More values than these are not looked up one by one: whoever asks for so many is content with most. */
const MOST_VALUES = 64;

/**
 * Items with requirement sets, such as nodes, by the values their labels may have. It finds those that may meet what a pod
 * asks for without asking each: where every pod has a value of its own, there is one such item among thousands, and to
 * compare each pair would take the square of their number in time and memory.
 */
export class LabelIndex {
  readonly #sets: RequirementSets;
  readonly #mode: Mode;
  readonly #items: RequirementSet[] = [];
  /** By key, once asked for. */
  readonly #keys = new Map<number, KeyIndex>();
  readonly #answer = new BitSet();

  constructor(sets: RequirementSets, mode: Mode) {
    this.#sets = sets;
    this.#mode = mode;
  }

  /** An item, new or with requirements it did not have. */
  set(item: number, set: RequirementSet): void {
    this.#items[item] = set;
    for (const [key, index] of this.#keys) index.set(item, this.#find(set, key));
  }

  /** Drops items that cannot meet the needs. Those left need not meet them. */
  restrict(items: BitSet, { ids }: RequirementSet): void {
    const { table } = this.#sets;
    for (const id of ids) {
      const need = table.get(id);
      if (need.complement) {
        const isBounded = need.lowest !== undefined || need.highest !== undefined;
        if (isBounded && !table.admitsAbsence(id)) this.#indexOf(table.keyOf(id)).restrictToRange(items, rangeOf(need));
      } else if (need.values.size > 0 && need.values.size <= MOST_VALUES) {
        this.#indexOf(table.keyOf(id)).findAny(this.#answer, need.values);
        items.intersect(this.#answer);
      }
    }
  }

  #indexOf(key: number): KeyIndex {
    let index = this.#keys.get(key);
    if (index === undefined) {
      index = new KeyIndex();
      for (const [item, set] of this.#items.entries()) index.set(item, this.#find(set, key));
      this.#keys.set(key, index);
    }
    return index;
  }

  /** What a set says on a key: a requirement; that the label may have any value; or that it has none. */
  #find(set: RequirementSet, key: number): Says {
    const id = set.find(key);
    if (id < 0) return this.#sets.isOpen(key, this.#mode) ? 'anything' : 'nothing';
    return { id, requirement: this.#sets.table.get(id) };
  }
}

type Says = { readonly id: RequirementId; readonly requirement: Requirement } | 'anything' | 'nothing';

/** Integers from one to the other; none if the first is the larger. */
type Range = readonly [lowest: number, highest: number];

const ALL: Range = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const NONE: Range = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** Items by what they say on one key. */
class KeyIndex {
  readonly #said: Says[] = [];
  /** Items that list the values their label may have, by value; items that do not list any. */
  readonly #listing = new Map<string, SparseSet>();
  readonly #open = new BitSet();
  /** By item: the integers its label may be. */
  readonly #lowest: number[] = [];
  readonly #highest: number[] = [];

  set(item: number, says: Says): void {
    const said = this.#said[item];
    if (said !== undefined && idOf(said) === idOf(says)) return;
    for (const value of listed(said)) this.#listing.get(value)?.delete(item);
    for (const value of listed(says)) this.#list(value, item);
    if (isOpen(says)) this.#open.add(item);
    else this.#open.delete(item);
    const range = typeof says === 'object' ? rangeOf(says.requirement) : says === 'anything' ? ALL : NONE;
    [this.#lowest[item], this.#highest[item]] = range;
    this.#said[item] = says;
  }

  /** Puts in `found` the items whose label may have one of these values. */
  findAny(found: BitSet, values: ReadonlySet<string>): void {
    found.copyFrom(this.#open);
    for (const value of values) this.#listing.get(value)?.uniteInto(found);
  }

  /** Drops items whose label cannot be an integer of a range. */
  restrictToRange(items: BitSet, [lowest, highest]: Range): void {
    for (let item = items.next(0); item >= 0; item = items.next(item + 1)) {
      if (this.#highest[item]! < lowest || this.#lowest[item]! > highest) items.delete(item);
    }
  }

  #list(value: string, item: number): void {
    const listing = this.#listing.get(value);
    if (listing !== undefined) {
      listing.add(item);
      return;
    }
    const first = new SparseSet();
    first.add(item);
    this.#listing.set(value, first);
  }
}

function idOf(says: Says): RequirementId | string {
  return typeof says === 'object' ? says.id : says;
}

function isOpen(says: Says): boolean {
  return says === 'anything' || (says !== 'nothing' && says.requirement.complement);
}

function listed(says: Says | undefined): Iterable<string> {
  return typeof says === 'object' && !says.requirement.complement ? says.requirement.values : [];
}

/** Bounds beyond 2^53 are rounded, by which at most their neighbours are taken for them: the range is never too small. */
function rangeOf({ complement, values, lowest, highest }: Requirement): Range {
  if (complement)
    return [lowest === undefined ? ALL[0] : Number(lowest), highest === undefined ? ALL[1] : Number(highest)];
  const integers = [...values].filter((value) => /^[+-]?[0-9]+$/.test(value)).map(Number);
  return integers.length === 0 ? NONE : [Math.min(...integers), Math.max(...integers)];
}
