import type { Identity } from '../packing/pod-class.ts';
import { selects, type TopologyRule } from './rule.ts';

/**
 * Finds the rules that select a pod without trying all of them: most selectors ask for the exact value of some label, most
 * rules are about one namespace, and only those filed under a label and a namespace the pod has can match.
 */
export class SelectorIndex<T extends { readonly rule: TopologyRule }> {
  readonly #all: T[] = [];
  /** By label key, then by value: where in `all`. */
  readonly #byLabel = new Map<string, Map<string, ByNamespace>>();
  readonly #others = new ByNamespace();

  get size(): number {
    return this.#all.length;
  }

  add(item: T): void {
    const id = this.#all.push(item) - 1;
    const label = labelAskedFor(item.rule);
    if (label === undefined) this.#others.add(item.rule, id);
    else for (const value of label.values) this.#file(label.key, value).add(item.rule, id);
  }

  /** Those that select pods of an identity, in the order they were added. */
  find(identity: Identity): readonly T[] {
    const ids: number[] = [];
    this.#keepSelecting(identity, this.#others, ids);
    for (const key in identity.labels) {
      const filed = this.#byLabel.get(key)?.get(identity.labels[key]!);
      if (filed !== undefined) this.#keepSelecting(identity, filed, ids);
    }
    return ids.sort((a, b) => a - b).map((id) => this.#all[id]!);
  }

  #keepSelecting(identity: Identity, filed: ByNamespace, ids: number[]): void {
    for (const some of filed.about(identity.namespace)) {
      for (const id of some) if (selects(this.#all[id]!.rule, identity)) ids.push(id);
    }
  }

  #file(key: string, value: string): ByNamespace {
    const byValue = getOrAdd(this.#byLabel, key, () => new Map<string, ByNamespace>());
    return getOrAdd(byValue, value, () => new ByNamespace());
  }
}

/** Rules by the namespace they are about; those about several, or about any that a selector selects, together. */
class ByNamespace {
  readonly #one = new Map<string, number[]>();
  readonly #several: number[] = [];

  add({ namespaces: { listed } }: TopologyRule, id: number): void {
    const ids = listed?.length === 1 ? getOrAdd(this.#one, listed[0]!, () => []) : this.#several;
    ids.push(id);
  }

  about(namespace: string): readonly (readonly number[])[] {
    return [this.#several, this.#one.get(namespace) ?? []];
  }
}

function getOrAdd<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** A label every selected pod has with one of these values; `undefined` if there is none such. */
export function labelAskedFor({ selector }: TopologyRule): { key: string; values: ReadonlySet<string> } | undefined {
  if (selector.kind === 'nothing') return { key: '', values: new Set() };
  const exact = selector.requirements.find(({ operator }) => operator === '=' || operator === 'in');
  return exact === undefined ? undefined : { key: exact.key, values: new Set(exact.values) };
}
