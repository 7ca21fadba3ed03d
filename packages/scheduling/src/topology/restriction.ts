import type { Mode, RequirementSet, RequirementSets } from '../model/requirements/requirement-set.ts';
import type { Domains } from '../model/requirements/domains.ts';
import type { HostBounds } from './host-group.ts';
import type { KeyChoice } from './key-choice.ts';

/** What an in-flight or new node can still be bought as. It guides the choice of domains. */
export interface NodeSupply {
  /** Whether it may depend on its domain of this key; if not, all of them are the same to it. */
  dependsOn(domains: Domains): boolean;
  /** Whether anything can be bought with these requirements. More requirements never leave more to buy. */
  holds(set: RequirementSet): boolean;
  /** What it would cost with these requirements, by domain of a key it depends on. */
  prices(domains: Domains, set: RequirementSet): Float64Array;
}

/** A key of which one domain is to be picked, and those that can be. */
interface Pick {
  readonly choice: KeyChoice;
  readonly open: readonly number[];
}

/**
 * How many domains are looked at for one node and pod beyond one look at each. Where types alone decide, none: this
 * bounds the search where `minValues` forbids combinations of domains each of which it allows.
 */
const MORE_LOOKS = 1000;

/** What all rules together leave a pod in this attempt: domains by key, and how full its host may be. */
export class Restriction {
  readonly choices: readonly KeyChoice[];
  readonly hosts: readonly HostBounds[];
  /** Whether no node at all is left. */
  readonly isUnsatisfiable: boolean;
  readonly #sets: RequirementSets;

  constructor(choices: readonly KeyChoice[], hosts: readonly HostBounds[], sets: RequirementSets) {
    this.choices = choices;
    this.hosts = hosts;
    this.isUnsatisfiable = choices.some((choice) => choice.isEmpty()) || hosts.some((host) => host.isUnsatisfiable);
    this.#sets = sets;
  }

  /** Equal for restrictions that leave the same domains, hosts aside; `undefined` if a key has too many for that. */
  get signature(): string | undefined {
    let text = '';
    for (const choice of this.choices) {
      const { signature } = choice;
      if (signature === undefined) return undefined;
      text += `${signature} `;
    }
    return text;
  }

  /**
   * The sets a node may be narrowed to for the pod, in the order to try; `undefined` if the rules forbid it. After the
   * first, those of which nothing is left are passed over.
   */
  narrow(set: RequirementSet, mode: Mode, supply: NodeSupply): Iterable<RequirementSet> | undefined {
    const picks: Pick[] = [];
    let narrowed = set;
    for (const choice of this.choices) {
      const { domains } = choice;
      const requirement = set.find(domains.keyId);
      if (requirement < 0 && !this.#sets.isOpen(domains.keyId, mode)) return undefined;
      const open = choice.openTo(requirement);
      if (open.length === 0) return undefined;
      if (choice.mustPick && open.length > 1) picks.push({ choice, open });
      else narrowed = this.#in(narrowed, domains, open);
    }
    return picks.length === 0 ? [narrowed] : this.#combine(narrowed, picks, supply);
  }

  /** One by one: of all combinations of domains the first will usually do. */
  *#combine(set: RequirementSet, picks: readonly Pick[], supply: NodeSupply): Generator<RequirementSet> {
    const first = this.#welcome(set, picks, supply);
    yield first;
    const relevant = picks.filter(({ choice }) => supply.dependsOn(choice.domains));
    const others = picks.filter((pick) => !relevant.includes(pick));
    // Whatever is possible is possible within all open domains of every key. So what is left of the first key's domain
    // has a domain of the second, and so on: no combination is begun in vain, unless `minValues` comes in.
    let possible = this.#welcome(set, others, supply);
    for (const { choice, open } of relevant) possible = this.#in(possible, choice.domains, open);
    if (!supply.holds(possible)) return;
    const effort = { looks: relevant.reduce((sum, { open }) => sum + open.length, MORE_LOOKS) };
    for (const combination of this.#search(possible, relevant, supply, effort)) {
      if (combination !== first) yield combination;
    }
  }

  *#search(
    set: RequirementSet,
    [own, ...rest]: readonly Pick[],
    supply: NodeSupply,
    effort: { looks: number },
  ): Generator<RequirementSet> {
    if (own === undefined) {
      yield set;
      return;
    }
    const { choice, open } = own;
    for (const domain of choice.inOrder(open, () => supply.prices(choice.domains, set))) {
      if (effort.looks-- <= 0) return;
      const narrower = this.#in(set, choice.domains, [domain]);
      if (supply.holds(narrower)) yield* this.#search(narrower, rest, supply, effort);
    }
  }

  /** With the first domain of each. */
  #welcome(set: RequirementSet, picks: readonly Pick[], supply: NodeSupply): RequirementSet {
    let narrowed = set;
    for (const { choice, open } of picks) {
      const { domains } = choice;
      const prices = () => (supply.dependsOn(domains) ? supply.prices(domains, narrowed) : undefined);
      narrowed = this.#in(narrowed, domains, [first(choice.inOrder(open, prices))]);
    }
    return narrowed;
  }

  /** The set in some of the open domains, or as it is if these are all it lists. */
  #in(set: RequirementSet, domains: Domains, some: readonly number[]): RequirementSet {
    const requirement = set.find(domains.keyId);
    if (requirement >= 0 && domains.listed(requirement).length === some.length) return set;
    return this.#sets.with(set, domains.requirementOfAll(some));
  }
}

/** There is one. */
function first(domains: Iterable<number>): number {
  const [domain] = domains;
  return domain!;
}
