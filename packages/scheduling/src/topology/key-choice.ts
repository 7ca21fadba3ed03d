import type { RequirementId } from '../requirements/requirement-table.ts';
import type { Domains } from './domains.ts';

/** Of a number that is used as a set. */
const BITS = 32;

/**
 * The domains of one key that all rules of a pod leave it, whatever the node. Where a rule must know the domain, one is
 * picked; so that rules do not pick against each other, that is done once all have had their say (spec 02, remark 3).
 */
export class KeyChoice {
  readonly domains: Domains;
  /** By domain: 1 if open. */
  readonly mask: Uint8Array;
  mustPick = false;
  readonly #load: Float64Array;
  #order: readonly number[] | undefined;

  constructor(domains: Domains) {
    this.domains = domains;
    this.mask = new Uint8Array(domains.size).fill(1);
    this.#load = new Float64Array(domains.size);
  }

  /** Makes a domain less welcome to pick. */
  addLoad(domain: number, count: number): void {
    this.#load[domain]! += count;
  }

  isEmpty(): boolean {
    return !this.mask.includes(1);
  }

  /** Whether a node that is in this domain is open to the pod. */
  has(domain: number): boolean {
    return this.mask[domain] === 1;
  }

  /** Equal for choices that leave the same domains; `undefined` for keys with more than a few dozen. */
  get signature(): string | undefined {
    if (this.mask.length > BITS) return undefined;
    let bits = 0;
    for (let domain = 0; domain < this.mask.length; domain++) bits |= this.mask[domain]! << domain;
    return `${this.domains.keyId}:${bits}${this.mustPick ? '!' : ''}`;
  }

  /** Open domains, the least loaded first, ties by name. */
  order(): readonly number[] {
    if (this.#order === undefined) {
      const open: number[] = [];
      for (let domain = 0; domain < this.mask.length; domain++) if (this.mask[domain] === 1) open.push(domain);
      this.#order = this.#sorted(open);
    }
    return this.#order;
  }

  /**
   * What a node with this requirement on the key (−1 for none) may be narrowed to, in the order to try. Empty if
   * nothing is open to it.
   */
  narrow(requirement: RequirementId): readonly RequirementId[] {
    const open = this.#openTo(requirement);
    if (this.mustPick || open.length === 1) return open.map((domain) => this.domains.requirement(domain));
    if (open.length === 0) return [];
    const mask = new Uint8Array(this.mask.length);
    for (const domain of open) mask[domain] = 1;
    return [this.domains.requirementOfAll(mask)];
  }

  /** A node that lists its domains, as most do in the end, spares one the rest. */
  #openTo(requirement: RequirementId): readonly number[] {
    if (requirement < 0) return this.order();
    const listed = this.domains.listed(requirement);
    if (listed.length > 0) return this.#sorted(listed.filter((domain) => this.mask[domain] === 1));
    const admitted = this.domains.admitted(requirement);
    return this.order().filter((domain) => admitted[domain] === 1);
  }

  #sorted(open: number[]): readonly number[] {
    if (open.length < 2) return open;
    return open.sort((a, b) => this.#load[a]! - this.#load[b]! || this.#compareNames(a, b));
  }

  #compareNames(a: number, b: number): number {
    return this.domains.nameOf(a) < this.domains.nameOf(b) ? -1 : 1;
  }
}
