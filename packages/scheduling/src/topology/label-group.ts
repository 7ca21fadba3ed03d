import { hashOf } from '../model/interning/hash.ts';
import type { Domains } from '../model/requirements/domains.ts';
import type { KeyChoice } from './key-choice.ts';
import type { TopologyRule } from './rule.ts';

const OFFERED = 1;
const PRESENT = 2;

/** The matching pods of a rule by domain, for keys other than the hostname: a few zones, dozens of custom values. */
export class LabelGroup {
  readonly rule: TopologyRule;
  readonly domains: Domains;
  /** Both by domain; 0 beyond their end. Of domains: 0 if unknown, `OFFERED`, or `PRESENT`. */
  #known: Uint8Array;
  #counts: Int32Array;
  readonly #hash: number;
  /** Whether a pod of the cluster matches, in whatever domain: then none that follows it is the first of its kind. */
  readonly #isFounded: boolean;
  /** Asked only once, when the rule is first applied. */
  #expected: (() => Iterable<number>) | undefined;

  /**
   * `offered` are domains new nodes could be in, `present` those of nodes that are there and count for the rule, and
   * `expected` tells in which of those offered this run may buy such nodes.
   */
  constructor(
    rule: TopologyRule,
    domains: Domains,
    offered: Iterable<number>,
    counts: Int32Array,
    present: Iterable<number> = [],
    expected?: () => Iterable<number>,
  ) {
    this.rule = rule;
    this.#expected = expected;
    this.#hash = hashOf(rule.text);
    this.#isFounded = counts.some((count) => count > 0);
    this.domains = domains;
    this.#known = new Uint8Array(Math.max(domains.size, counts.length));
    this.#counts = new Int32Array(this.#known.length);
    this.#counts.set(counts);
    for (const domain of offered) this.#known[domain] = OFFERED;
    for (const domain of present) this.#known[domain] = PRESENT;
    for (let domain = 0; domain < counts.length; domain++) if (counts[domain]! > 0) this.#known[domain] = PRESENT;
  }

  /** One more matching pod in the domain. */
  record(domain: number): void {
    if (domain >= this.#known.length) this.#grow(domain + 1);
    this.#known[domain] = PRESENT;
    this.#counts[domain]!++;
  }

  /**
   * Closes the domains this rule forbids to a pod. `admitted` are those the pod's own requirement leaves, by domain;
   * `isSelected` says whether the pod counts for the rule itself (spec 02 §16.4).
   */
  restrict(choice: KeyChoice, admitted: Uint8Array | undefined, isSelected: boolean): void {
    switch (this.rule.kind) {
      case 'spread':
        return this.#restrictSpread(choice, admitted, isSelected);
      case 'affinity':
        return this.#restrictAffinity(choice, admitted, isSelected);
      case 'anti-affinity':
        return this.#close(choice, (domain) => this.#counts[domain] === 0 && isAdmitted(admitted, domain));
      default:
        this.rule.kind satisfies never;
    }
  }

  /** Every domain known, with its count. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    this.#known.forEach((known, domain) => known && counts.set(this.domains.nameOf(domain), this.#counts[domain]!));
    return counts;
  }

  #restrictSpread(choice: KeyChoice, admitted: Uint8Array | undefined, isSelected: boolean): void {
    const most = this.rule.maxSkew + this.#smallestCount(admitted) - (isSelected ? 1 : 0);
    this.#close(choice, (domain) => this.#counts[domain]! <= most);
    for (let domain = 0; domain < this.#counts.length; domain++) choice.addLoad(domain, this.#counts[domain]!);
    choice.pickFor(this.#hash);
  }

  #restrictAffinity(choice: KeyChoice, admitted: Uint8Array | undefined, isSelected: boolean): void {
    const isTaken = (domain: number) => this.#counts[domain]! > 0 && isAdmitted(admitted, domain);
    if (isSelected && !this.#isFounded && !this.#known.some((_, domain) => isTaken(domain))) {
      // The first of its kind may go anywhere, but to one domain, so that the others know where to follow (remark 29).
      choice.pickFor(this.#hash);
      this.#close(choice, (domain) => isAdmitted(admitted, domain));
    } else {
      this.#close(choice, isTaken);
    }
  }

  #close(choice: KeyChoice, isOpen: (domain: number) => boolean): void {
    const { mask } = choice;
    for (let domain = 0; domain < mask.length; domain++) {
      if (mask[domain] === 1 && !(isKnown(this.#known[domain]) && isOpen(domain))) mask[domain] = 0;
    }
  }

  /**
   * Over the domains the pod may use and those in which the rule sees nodes or may come to see some: the kube-scheduler
   * looks at them too, where the policy tells it to or another alternative of the pod leads there. 0 if all these are
   * fewer than `minDomains`.
   */
  #smallestCount(admitted: Uint8Array | undefined): number {
    this.#expect();
    let smallest = Number.POSITIVE_INFINITY;
    let usable = 0;
    for (let domain = 0; domain < this.#known.length; domain++) {
      const known = this.#known[domain];
      if (!isKnown(known) || (known !== PRESENT && !isAdmitted(admitted, domain))) continue;
      usable++;
      if (this.#counts[domain]! < smallest) smallest = this.#counts[domain]!;
    }
    return usable < (this.rule.minDomains ?? 0) ? 0 : smallest;
  }

  /** A node bought later in this run counts as one that is there, or it would break what was planned before it. */
  #expect(): void {
    if (this.#expected === undefined) return;
    for (const domain of this.#expected()) this.#known[domain] = PRESENT;
    this.#expected = undefined;
  }

  #grow(size: number): void {
    const [known, counts] = [this.#known, this.#counts];
    this.#known = new Uint8Array(size);
    this.#counts = new Int32Array(size);
    this.#known.set(known);
    this.#counts.set(counts);
  }
}

function isKnown(known: number | undefined): boolean {
  return known === OFFERED || known === PRESENT;
}

function isAdmitted(admitted: Uint8Array | undefined, domain: number): boolean {
  return admitted === undefined || admitted[domain] === 1;
}
