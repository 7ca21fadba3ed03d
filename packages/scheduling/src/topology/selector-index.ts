import type { Identity } from '../model/pods/pod-class.ts';
import type { TopologyRule } from './rule.ts';
import { RuleList } from './rule-list.ts';

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
    this.#others.collect(identity, ids);
    for (const key in identity.labels) this.#byLabel.get(key)?.get(identity.labels[key]!)?.collect(identity, ids);
    if (!isAscending(ids)) ids.sort((a, b) => a - b);
    return ids.map((id) => this.#all[id]!);
  }

  #file(key: string, value: string): ByNamespace {
    const byValue = getOrAdd(this.#byLabel, key, () => new Map<string, ByNamespace>());
    return getOrAdd(byValue, value, () => new ByNamespace());
  }
}

/** Rules by the namespace they are about; those about several, or about any that a selector selects, together. */
class ByNamespace {
  readonly #one = new Map<string, RuleList>();
  readonly #several = new RuleList();

  add(rule: TopologyRule, id: number): void {
    const { listed } = rule.namespaces;
    const rules = listed?.length === 1 ? getOrAdd(this.#one, listed[0]!, () => new RuleList()) : this.#several;
    rules.add(rule, id);
  }

  collect(identity: Identity, found: number[]): void {
    this.#several.collect(identity, found);
    this.#one.get(identity.namespace)?.collect(identity, found);
  }
}

function isAscending(ids: readonly number[]): boolean {
  for (let i = 1; i < ids.length; i++) if (ids[i]! < ids[i - 1]!) return false;
  return true;
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
