import { type LabelRequirement, type LabelSelector, matchesLabels, memberOf } from '@karpenter-ts/kubernetes';
import type { Identity } from '../model/pods/pod-class.ts';
import { selects, type TopologyRule } from './rule.ts';

/**
 * A list of rules, by number, that are asked together which of them select a pod. Thousands of rules may differ in nothing
 * but the values of one label they leave out, as those of tenants that avoid each other: they are a family, of which a pod
 * is looked at once.
 */
export class RuleList {
  readonly #rules: TopologyRule[] = [];
  readonly #ids: number[] = [];
  readonly #families = new Map<string, Family>();

  add(rule: TopologyRule, id: number): void {
    const excluding = findExcluding(rule);
    if (excluding === undefined) {
      this.#rules.push(rule);
      this.#ids.push(id);
      return;
    }
    const { rest, key, values } = excluding;
    const text = JSON.stringify([rule.namespaces.text, key, rest]);
    let family = this.#families.get(text);
    if (family === undefined) {
      family = new Family(rule, { kind: 'requirements', requirements: rest }, key);
      this.#families.set(text, family);
    }
    family.add(id, values);
  }

  /** Adds the numbers of those that select pods of an identity to `found`. */
  collect(identity: Identity, found: number[]): void {
    for (let i = 0; i < this.#rules.length; i++) if (selects(this.#rules[i]!, identity)) found.push(this.#ids[i]!);
    for (const family of this.#families.values()) family.collect(identity, found);
  }
}

/** Rules about the same namespaces whose selectors are the same but for the values of one label they exclude. */
class Family {
  readonly #namespaces: TopologyRule['namespaces'];
  readonly #selector: LabelSelector;
  readonly #key: string;
  readonly #ids: number[] = [];
  /** By value: those that exclude it, in the order of their numbers. */
  readonly #excluding = new Map<string, number[]>();

  constructor({ namespaces }: TopologyRule, selector: LabelSelector, key: string) {
    this.#namespaces = namespaces;
    this.#selector = selector;
    this.#key = key;
  }

  add(id: number, values: ReadonlySet<string>): void {
    this.#ids.push(id);
    for (const value of values) {
      const excluding = this.#excluding.get(value);
      if (excluding === undefined) this.#excluding.set(value, [id]);
      else excluding.push(id);
    }
  }

  collect({ namespace, labels }: Identity, found: number[]): void {
    if (!this.#namespaces.has(namespace) || !matchesLabels(this.#selector, labels)) return;
    const own = memberOf(labels, this.#key);
    const excluding = (own === undefined ? undefined : this.#excluding.get(own)) ?? NONE;
    let next = 0;
    for (const id of this.#ids) {
      if (id === excluding[next]) next++;
      else found.push(id);
    }
  }
}

const NONE: readonly number[] = [];

/** The values of a label a rule leaves out, and what else it asks for; `undefined` if it leaves out none. */
export function findExcluding({ selector }: TopologyRule) {
  if (selector.kind === 'nothing') return undefined;
  const at = selector.requirements.findIndex(({ operator }) => operator === 'notin');
  if (at < 0) return undefined;
  const { key, values } = selector.requirements[at]!;
  const rest: readonly LabelRequirement[] = selector.requirements.toSpliced(at, 1);
  return { rest, key, values: new Set(values) };
}
