import type { RequirementId } from '../requirements/requirement-table.ts';
import type { Domains } from './domains.ts';

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

  /** Open domains, the least loaded first, ties by name. */
  order(): readonly number[] {
    if (this.#order === undefined) {
      const open: number[] = [];
      for (let domain = 0; domain < this.mask.length; domain++) if (this.mask[domain] === 1) open.push(domain);
      this.#order = open.sort((a, b) => this.#load[a]! - this.#load[b]! || this.#compareNames(a, b));
    }
    return this.#order;
  }

  /**
   * What a node with this requirement on the key (−1 for none) may be narrowed to, in the order to try. Empty if
   * nothing is open to it.
   */
  narrow(requirement: RequirementId): readonly RequirementId[] {
    const admitted = requirement < 0 ? undefined : this.domains.admitted(requirement);
    const isOpen = (domain: number) => admitted === undefined || admitted[domain] === 1;
    const open = this.order().filter(isOpen);
    if (this.mustPick || open.length === 1) return open.map((domain) => this.domains.requirement(domain));
    if (open.length === 0) return [];
    const mask = new Uint8Array(this.mask.length);
    for (const domain of open) mask[domain] = 1;
    return [this.domains.requirementOfAll(mask)];
  }

  #compareNames(a: number, b: number): number {
    return this.domains.nameOf(a) < this.domains.nameOf(b) ? -1 : 1;
  }
}
