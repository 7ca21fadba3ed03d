import { type LabelSelector, type LabelSelectorSpec, matchesLabels } from '@karpenter-ts/kubernetes';
import type { Namespace } from '../../snapshot.ts';
import { selectorFrom, selectorText } from './selector.ts';

/** Kubernetes sets it on every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/**
 * The namespaces a rule is about. Those a selector selects are never listed: of thousands of namespaces each may have such
 * a rule.
 */
export interface NamespaceScope {
  has(name: string): boolean;
  /** All of them; `undefined` if a selector selects some. */
  readonly listed: readonly string[] | undefined;
  /** Equal for scopes that list and select the same way. */
  readonly text: string;
}

/** The namespaces of a snapshot; one that only a pod mentions is known by its name alone. */
export class Namespaces {
  readonly #labels = new Map<string, Readonly<Record<string, string>>>();
  readonly #scopes = new Map<string, NamespaceScope>();

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

  only(name: string): NamespaceScope {
    return this.of(name, [], undefined);
  }

  /** Those an affinity term is about: its own list and what its selector selects, else the pod's own (spec 02 §16.1). */
  of(own: string, listed: readonly string[], spec: LabelSelectorSpec | undefined): NamespaceScope {
    const names = listed.length === 0 && spec === undefined ? [own] : [...new Set(listed)].sort();
    const text = JSON.stringify(spec === undefined ? names : [names, selectorText(spec)]);
    let scope = this.#scopes.get(text);
    if (scope === undefined) {
      scope = spec === undefined ? listing(names, text) : this.#selecting(names, selectorFrom(spec), text);
      this.#scopes.set(text, scope);
    }
    return scope;
  }

  #selecting(names: readonly string[], selector: LabelSelector, text: string): NamespaceScope {
    const has = (name: string) => {
      const labels = this.#labels.get(name);
      return names.includes(name) || (labels !== undefined && matchesLabels(selector, labels));
    };
    return { has, listed: undefined, text };
  }
}

function listing(names: readonly string[], text: string): NamespaceScope {
  const set = new Set(names);
  return { has: (name) => set.has(name), listed: names, text };
}

/** Those that are in both. */
export function bothScopes(a: NamespaceScope, b: NamespaceScope): NamespaceScope {
  if (a === b) return a;
  return {
    has: (name) => a.has(name) && b.has(name),
    listed: a.listed?.filter((name) => b.has(name)) ?? b.listed?.filter((name) => a.has(name)),
    text: JSON.stringify([a.text, b.text].sort()),
  };
}
