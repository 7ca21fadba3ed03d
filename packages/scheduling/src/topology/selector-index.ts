import type { Identity } from '../packing/pod-class.ts';
import { selects, type TopologyRule } from './rule.ts';

/**
 * Finds the rules that select a pod without trying all of them: most selectors ask for the exact value of some label,
 * and only those filed under a label the pod has can match.
 */
export class SelectorIndex<T extends { readonly rule: TopologyRule }> {
  readonly #all: T[] = [];
  /** By label key, then by value: where in `all`. */
  readonly #byLabel = new Map<string, Map<string, number[]>>();
  readonly #others: number[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(item: T): void {
    const id = this.#all.push(item) - 1;
    const label = labelAskedFor(item.rule);
    if (label === undefined) this.#others.push(id);
    else for (const value of label.values) this.#file(label.key, value, id);
  }

  /** Those that select pods of an identity, in the order they were added. */
  find(identity: Identity): readonly T[] {
    const ids = this.#others.filter((id) => selects(this.#all[id]!.rule, identity));
    for (const [key, byValue] of this.#byLabel) {
      if (!Object.hasOwn(identity.labels, key)) continue;
      for (const id of byValue.get(identity.labels[key]!) ?? []) {
        if (selects(this.#all[id]!.rule, identity)) ids.push(id);
      }
    }
    return ids.sort((a, b) => a - b).map((id) => this.#all[id]!);
  }

  #file(key: string, value: string, id: number): void {
    let byValue = this.#byLabel.get(key);
    if (byValue === undefined) {
      byValue = new Map();
      this.#byLabel.set(key, byValue);
    }
    const filed = byValue.get(value);
    if (filed === undefined) byValue.set(value, [id]);
    else filed.push(id);
  }
}

/** A label every selected pod has with one of these values; `undefined` if there is none such. */
export function labelAskedFor({ selector }: TopologyRule): { key: string; values: ReadonlySet<string> } | undefined {
  if (selector.kind === 'nothing') return { key: '', values: new Set() };
  const exact = selector.requirements.find(({ operator }) => operator === '=' || operator === 'in');
  return exact === undefined ? undefined : { key: exact.key, values: new Set(exact.values) };
}
