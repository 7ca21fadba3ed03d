import { type LabelSelectorSpec, matchesLabels } from '@karpenter-ts/apis';
import type { Namespace } from '../snapshot.ts';
import { selectorFrom } from './selector.ts';

/** Kubernetes sets it on every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** The namespaces of a snapshot; one that only a pod mentions is known by its name alone. */
export class Namespaces {
  readonly #labels = new Map<string, Readonly<Record<string, string>>>();
  readonly #single = new Map<string, ReadonlySet<string>>();

  constructor(listed: readonly Namespace[]) {
    for (const { name, labels } of listed) this.#labels.set(name, labels);
  }

  /** Makes a namespace known that was not listed. */
  mention(name: string): void {
    if (!this.#labels.has(name)) this.#labels.set(name, { [NAME_LABEL]: name });
  }

  isKnown(name: string): boolean {
    return this.#labels.has(name);
  }

  only(name: string): ReadonlySet<string> {
    let set = this.#single.get(name);
    if (set === undefined) {
      set = new Set([name]);
      this.#single.set(name, set);
    }
    return set;
  }

  /** Those an affinity term is about: its own list and what its selector selects, else the pod's own (spec 02 §16.1). */
  of(own: string, listed: readonly string[], spec: LabelSelectorSpec | undefined): ReadonlySet<string> {
    if (spec === undefined) return listed.length === 0 ? this.only(own) : new Set(listed);
    const selector = selectorFrom(spec);
    const selected = [...this.#labels].filter(([, labels]) => matchesLabels(selector, labels)).map(([name]) => name);
    return new Set([...selected, ...listed]);
  }
}
