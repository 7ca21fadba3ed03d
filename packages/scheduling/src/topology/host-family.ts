import { memberOf } from '@karpenter-ts/kubernetes';
import type { Identity } from '../model/pods/pod-class.ts';
import { HostGroup } from './host-group.ts';
import { HostCounts } from './host-counts.ts';
import type { TopologyRule } from './rule.ts';
import { findExcluding } from './rule-list.ts';

/** A rule by host, told apart from its family by the values of one label it leaves out. */
export interface Kinship {
  /** Equal for rules of a family. */
  readonly text: string;
  /** The rule without what it leaves out. */
  readonly rest: TopologyRule;
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** `undefined` if the rule leaves out nothing. */
export function kinshipOf(rule: TopologyRule): Kinship | undefined {
  const excluding = findExcluding(rule);
  if (excluding === undefined) return undefined;
  const { rest: requirements, key, values } = excluding;
  const { kind, namespaces, maxSkew, filter } = rule;
  const text = JSON.stringify([kind, namespaces.text, key, requirements, maxSkew, filter?.identity]);
  return { text, rest: { ...rule, selector: { kind: 'requirements', requirements }, identity: text }, key, values };
}

/** The rule that selects those of the rest that have one value of the label. */
function ruleOfValue({ rest, key }: Kinship, value: string): TopologyRule {
  const { selector, identity } = rest;
  const others = selector.kind === 'requirements' ? selector.requirements : [];
  const requirements = [{ key, operator: 'in' as const, values: [value] }, ...others];
  return {
    ...rest,
    selector: { kind: 'requirements', requirements },
    identity: `${identity} ${JSON.stringify(value)}`,
  };
}

/** Rules that count all pods but those of some value of a label: counted in all, and for each value that some leave out. */
export class HostFamily {
  /** Selects all that any of them may count. */
  readonly rule: TopologyRule;
  readonly #kinship: Kinship;
  readonly #count: (rule: TopologyRule) => HostGroup;
  readonly #all: HostGroup;
  readonly #byValue = new Map<string, HostGroup>();

  /** `count` makes the group of a rule with the pods of the cluster. */
  constructor(kinship: Kinship, count: (rule: TopologyRule) => HostGroup) {
    this.rule = kinship.rest;
    this.#kinship = kinship;
    this.#count = count;
    this.#all = count(kinship.rest);
  }

  /** From here on the group has its counts from the family. To be called before anything is added. */
  adopt(group: HostGroup, values: Iterable<string>): void {
    group.derive(
      this.#all,
      Array.from(values, (value) => this.#of(value)),
    );
  }

  /** One more pod, which the rule of the family selects. */
  add({ labels }: Identity, host: number, isPlanned: boolean): void {
    this.#all.add(host, isPlanned);
    const own = memberOf(labels, this.#kinship.key);
    if (own !== undefined) this.#byValue.get(own)?.add(host, isPlanned);
  }

  #of(value: string): HostGroup {
    let group = this.#byValue.get(value);
    if (group === undefined) {
      group = this.#count(ruleOfValue(this.#kinship, value));
      this.#byValue.set(value, group);
    }
    return group;
  }
}

/**
 * Rules by which owners keep away all pods but those of some value of a label: the owners are counted in all, and for each
 * value by those that leave it out. A pod is kept away by all owners but those that leave out its value.
 */
export class InverseFamily {
  /** Selects all that any of them may keep away. */
  readonly rule: TopologyRule;
  readonly #key: string;
  readonly #owners: HostGroup;
  readonly #sparing = new Map<string, HostGroup>();
  readonly #against = new Map<string | undefined, HostGroup>();

  constructor({ rest, key }: Kinship) {
    this.rule = rest;
    this.#key = key;
    this.#owners = emptyHostGroup(rest);
  }

  /** Takes in a rule with its owners so far. Those to come are to be added. */
  adopt(group: HostGroup, values: Iterable<string>): void {
    for (const isPlanned of [false, true]) {
      const counts = isPlanned ? group.planned : group.existing;
      for (const host of counts.busy()) {
        for (let count = counts.count(host); count > 0; count--) this.add(values, host, isPlanned);
      }
    }
  }

  /** One more owner of a rule that leaves out these values. */
  add(values: Iterable<string>, host: number, isPlanned: boolean): void {
    this.#owners.add(host, isPlanned);
    for (const value of values) this.#sparingOf(value).add(host, isPlanned);
  }

  /** What keeps pods of an identity away, which the rule of the family selects. */
  against({ labels }: Identity): HostGroup {
    const own = memberOf(labels, this.#key);
    let group = this.#against.get(own);
    if (group === undefined) {
      group = emptyHostGroup(this.rule);
      group.derive(this.#owners, own === undefined ? [] : [this.#sparingOf(own)]);
      this.#against.set(own, group);
    }
    return group;
  }

  #sparingOf(value: string): HostGroup {
    let group = this.#sparing.get(value);
    if (group === undefined) {
      group = emptyHostGroup(this.rule);
      this.#sparing.set(value, group);
    }
    return group;
  }
}

export function emptyHostGroup(rule: TopologyRule): HostGroup {
  return new HostGroup(rule, new HostCounts(rule.maxSkew), new HostCounts(rule.maxSkew));
}
