import { mix } from '../model/interning/hash.ts';
import type { RequirementId } from '../model/requirements/requirement-table.ts';
import type { Domains } from '../model/requirements/domains.ts';

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
  #mustPick = false;
  #seed = 0;
  readonly #load: Float64Array;
  #open: readonly number[] | undefined;

  constructor(domains: Domains) {
    this.domains = domains;
    this.mask = new Uint8Array(domains.size).fill(1);
    this.#load = new Float64Array(domains.size);
  }

  /** Whether one domain is to be picked. */
  get mustPick(): boolean {
    return this.#mustPick;
  }

  /** One domain is to be picked, for a rule with this hash, which decides where nothing else does. */
  pickFor(hash: number): void {
    this.#mustPick = true;
    this.#seed += hash; // so that the order of rules does not matter
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

  /** Open domains, by number. */
  open(): readonly number[] {
    if (this.#open === undefined) {
      const open: number[] = [];
      for (let domain = 0; domain < this.mask.length; domain++) if (this.mask[domain] === 1) open.push(domain);
      this.#open = open;
    }
    return this.#open;
  }

  /**
   * The open domains a node with this requirement on the key (−1 for none) may be in. A node that lists its domains, as
   * most do in the end, spares one the rest.
   */
  openTo(requirement: RequirementId): readonly number[] {
    if (requirement < 0) return this.open();
    const listed = this.domains.listed(requirement);
    if (listed.length > 0) return listed.filter((domain) => this.mask[domain] === 1);
    const admitted = this.domains.admitted(requirement);
    return this.open().filter((domain) => admitted[domain] === 1);
  }

  /**
   * These in the order to try: the least loaded first, of these the cheapest, of these by a hash that every pod of the same
   * rules shares. `prices` tells what the node would cost, by domain. All are sorted only if the first does not do.
   */
  *inOrder(open: readonly number[], prices: () => Float64Array | undefined): Generator<number, void, undefined> {
    let least = Number.POSITIVE_INFINITY;
    for (const domain of open) if (this.#load[domain]! < least) least = this.#load[domain]!;
    const welcome = open.filter((domain) => this.#load[domain] === least);
    let first = welcome[0]!;
    if (welcome.length > 1) {
      const compare = this.#compare(prices());
      for (const domain of welcome) if (compare(domain, first) < 0) first = domain;
    }
    yield first;
    yield* open.filter((domain) => domain !== first).sort(this.#compare(prices()));
  }

  #compare(prices: Float64Array | undefined): (a: number, b: number) => number {
    return (a, b) =>
      this.#load[a]! - this.#load[b]! || compareNumbers(prices?.[a], prices?.[b]) || this.#compareHashes(a, b);
  }

  #compareHashes(a: number, b: number): number {
    const { domains } = this;
    return (
      mix(this.#seed, domains.hashOf(a)) - mix(this.#seed, domains.hashOf(b)) ||
      (domains.nameOf(a) < domains.nameOf(b) ? -1 : +(a !== b))
    );
  }
}

/** Prices of domains nothing can be bought in are infinite, and so is their difference with others. */
function compareNumbers(a = 0, b = 0): number {
  return a < b ? -1 : +(a > b);
}
