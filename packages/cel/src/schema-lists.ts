import { describe } from './runtime/describe.ts';
import { equal } from './runtime/equality.ts';
import { ArrayList, CelList } from './runtime/list.ts';
import { CelMap } from './runtime/map.ts';
import { CelError, type CelResult, type CelValue, NO_SUCH_OVERLOAD, typeNameOf } from './runtime/value.ts';

/** A list of an object: elements are converted when they are first read. */
export class SchemaList extends CelList {
  readonly size: number;
  readonly #load: (index: number) => CelResult;
  readonly #loaded: CelResult[] = [];
  readonly #untyped: () => CelValue;

  constructor({ size, load, untyped }: ListSource) {
    super();
    this.size = size;
    this.#load = load;
    this.#untyped = untyped;
  }

  at(index: number): CelResult {
    return (this.#loaded[index] ??= this.#load(index));
  }

  /** In pairs. Comparing with anything but a list is an error, and so is comparing elements that do not compare. */
  override equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return NO_SUCH_OVERLOAD;
    if (this.size !== other.size) return false;
    for (let i = 0; i < this.size; i++) {
      const same = equal(this.at(i), other.at(i));
      if (same !== true) return same;
    }
    return true;
  }

  override contains(value: CelValue): boolean | CelError {
    let error: CelError | undefined;
    for (const element of this) {
      const same = equal(element, value);
      if (same === true) return true;
      if (same instanceof CelError) error ??= same;
    }
    return error ?? false;
  }

  override untyped(): CelValue {
    return this.#untyped();
  }
}

/** Where the elements of a list come from; `untyped` is the list as it is without its schema. */
export interface ListSource {
  readonly size: number;
  readonly load: (index: number) => CelResult;
  readonly untyped: () => CelValue;
}

/** `x-kubernetes-list-type: set`: order does not count, and `+` adds what is not there yet. */
export class SetList extends SchemaList {
  override equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return NO_SUCH_OVERLOAD;
    if (this.size !== other.size) return false;
    const members = new Set(Array.from(this, memberText));
    return Array.from(other).every((element) => members.has(memberText(element)));
  }

  override add(other: CelList): CelList {
    const union = new Map([...this, ...other].map((element) => [memberText(element), element]));
    return new SetList(listOf([...union.values()]));
  }
}

/** `x-kubernetes-list-type: map`: items are found by their keys, and `+` replaces those with the same. */
export class MapList extends SchemaList {
  readonly #keys: readonly string[];

  constructor(source: ListSource, keys: readonly string[]) {
    super(source);
    this.#keys = keys;
  }

  override equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return NO_SUCH_OVERLOAD;
    if (this.size !== other.size) return false;
    const items = new Map(Array.from(this, (item) => [this.#keyOf(item), item]));
    for (const item of other) {
      const mine = items.get(this.#keyOf(item));
      const same = mine !== undefined && equal(mine, item);
      if (same !== true) return same;
    }
    return true;
  }

  override add(other: CelList): CelList {
    const merged = new Map([...this, ...other].map((item) => [this.#keyOf(item), item]));
    return new MapList(listOf([...merged.values()]), this.#keys);
  }

  #keyOf(item: CelResult): string {
    return this.#keys.map((key) => (item instanceof CelMap ? memberText(item.find(key) ?? null) : '')).join('\n');
  }
}

function listOf(elements: readonly CelResult[]): ListSource {
  return { size: elements.length, load: (index) => elements[index]!, untyped: () => new ArrayList([...elements]) };
}

/** Equal scalars have equal texts. */
function memberText(element: CelResult): string {
  return `${element instanceof CelError ? 'error' : typeNameOf(element)} ${describe(element)}`;
}
