import { IMPROVING, type Reading } from '../progress.ts';
import type { Effort } from './effort.ts';
import type { Filler, Load } from './filler.ts';
import { OPTIONS_PER_STEP, type PackingProblem } from './packing-problem.ts';

/** What was bought for all units. */
export interface Purchase {
  readonly loads: readonly Load[];
  readonly costPerHour: number;
}

/** On what terms node options are bought. */
export interface Terms {
  /** By pod group: the price of one unit. */
  readonly prices: Float64Array;
  /** What a node option costs beside its price. */
  readonly surcharge: number;
  /** What to go over to before there are too many node options; `undefined` to go on whatever their number. */
  readonly reserve: Reserve | undefined;
}

/** A surcharge under which so many node options were enough for all units, and how many there may be. */
export interface Reserve {
  readonly surcharge: number;
  readonly nodes: number;
  readonly mostNodes: number;
}

/** What a round is charged to, and what ends it when it is used up. */
export interface RoundEffort {
  readonly effort: Effort;
  readonly most: Effort;
}

/** The best load known for a node option. */
interface Offer {
  readonly option: number;
  load: Load | undefined;
  /**
   * Value per cost. Of a load that is out of date it is nearly an upper bound: fewer units are left to choose from. To
   * fill all such node options anew was tried: for the same effort, plans were a hundredth dearer.
   */
  worth: number;
  isCurrent: boolean;
}

/** Nothing costs less: so what is free can be compared too. */
const LEAST_COST = 1e-9;

/**
 * One round of buying: the node option whose load is worth most for its cost, again and again, until all units have a
 * place.
 */
export class Round {
  readonly #problem: PackingProblem;
  readonly #filler: Filler;
  readonly #terms: Terms;
  readonly #effort: Effort;
  readonly #most: Effort;
  readonly #left: Int32Array;
  readonly #offers: readonly Offer[];
  readonly #loads: Load[] = [];
  #cost = 0;
  /** Of the units left. */
  readonly #requests: Float64Array;
  #units = 0;
  #surcharge: number;
  /** The sum of the prices of all units, and of those left. */
  readonly #allPrices: number;
  #pricesLeft = 0;
  #best: Purchase | undefined;
  #lowest = Number.POSITIVE_INFINITY;

  constructor(problem: PackingProblem, filler: Filler, terms: Terms, { effort, most }: RoundEffort) {
    this.#problem = problem;
    this.#filler = filler;
    this.#terms = terms;
    this.#effort = effort;
    this.#most = most;
    effort.spend(problem.groups.length + problem.options.length);
    this.#left = Int32Array.from(problem.groups, ({ units }) => units.length);
    this.#requests = new Float64Array(problem.width);
    for (const [group, units] of this.#left.entries()) {
      this.#units += units;
      problem.addRequests(this.#requests, group, units);
      this.#pricesLeft += units * terms.prices[group]!;
    }
    this.#allPrices = this.#pricesLeft;
    this.#surcharge = terms.surcharge;
    this.#offers = problem.options.map((_, option) => this.#firstOffer(option));
  }

  /** The cheapest way found to give all a place; `undefined` if some cannot be, or none was found within the effort. */
  *run(): Reading<Purchase | undefined> {
    while (this.#units > 0) {
      if (this.#most.isUsedUp) return this.#best;
      yield* this.#considerEnding();
      const load = yield* this.#findBest();
      if (load === undefined || load.groups.length === 0) return this.#best;
      const spare = this.#spareNodes(load);
      if (spare >= 1) this.#buy(load, spare);
      else this.#economize();
    }
    this.#consider(undefined);
    return this.#best;
  }

  /**
   * What the node option's first load of an earlier round is worth at the prices of this one. As prices move little, most
   * node options need not be filled anew to see that others are better: a round takes a third of the steps.
   */
  #firstOffer(option: number): Offer {
    const known = this.#filler.firstLoads[option];
    if (known === undefined) return { option, load: undefined, worth: Number.POSITIVE_INFINITY, isCurrent: false };
    const { groups, counts } = known;
    this.#effort.spend(1 + groups.length / OPTIONS_PER_STEP);
    let value = 0;
    for (let i = 0; i < groups.length; i++) value += counts[i]! * this.#terms.prices[groups[i]!]!;
    const load = { ...known, value };
    return { option, load, worth: this.#worthOf(load), isCurrent: false };
  }

  /** All that is left on one node option may be cheaper than going on. */
  *#considerEnding(): Reading<void> {
    this.#effort.spend(this.#problem.options.length / OPTIONS_PER_STEP);
    for (let option = 0; option < this.#problem.options.length; option++) {
      if (!this.#problem.hasRoom(option, this.#requests) || !this.#takesAll(option)) continue;
      const load = this.#filler.fill(option, this.#terms.prices, this.#left);
      if (this.#effort.isPauseDue()) yield IMPROVING;
      if (load.counts.reduce((sum, count) => sum + count, 0) < this.#units) continue; // host rules keep some apart
      this.#consider(load);
      return;
    }
  }

  #takesAll(option: number): boolean {
    this.#effort.spend(this.#left.length);
    for (let group = 0; group < this.#left.length; group++) {
      if (this.#left[group]! > 0 && !this.#problem.takes(option, group)) return false;
    }
    return true;
  }

  /** Remembers what was bought so far, with a last load, if it is the cheapest yet. */
  #consider(last: Load | undefined): void {
    const costPerHour = this.#cost + (last === undefined ? 0 : this.#costOf(last.option));
    const total = costPerHour + (this.#loads.length + (last === undefined ? 0 : 1)) * this.#terms.surcharge;
    if (total >= this.#lowest) return;
    this.#lowest = total;
    this.#best = { loads: last === undefined ? this.#loads : [...this.#loads, last], costPerHour };
  }

  *#findBest(): Reading<Load | undefined> {
    for (;;) {
      let top: Offer | undefined;
      for (const offer of this.#offers) if (top === undefined || offer.worth > top.worth) top = offer;
      this.#effort.spend(this.#offers.length / OPTIONS_PER_STEP);
      if (this.#most.isUsedUp) return undefined;
      if (top === undefined || top.isCurrent) return top?.load;
      top.load = this.#filler.fill(top.option, this.#terms.prices, this.#left);
      top.worth = this.#worthOf(top.load);
      top.isCurrent = true;
      if (this.#loads.length === 0) this.#filler.firstLoads[top.option] = top.load;
      if (this.#effort.isPauseDue()) yield IMPROVING;
    }
  }

  /** Buys a load as often as there are units for it, within reason. */
  #buy(load: Load, mostTimes: number): void {
    let times = mostTimes;
    load.groups.forEach((group, i) => (times = Math.min(times, Math.floor(this.#left[group]! / load.counts[i]!))));
    for (let time = 0; time < times; time++) this.#loads.push(load);
    this.#cost += times * this.#costOf(load.option);
    load.groups.forEach((group, i) => {
      const units = times * load.counts[i]!;
      this.#left[group]! -= units;
      this.#units -= units;
      this.#pricesLeft -= units * this.#terms.prices[group]!;
      this.#problem.addRequests(this.#requests, group, -units);
    });
    this.#effort.spend(times + load.groups.length + this.#offers.length / OPTIONS_PER_STEP);
    for (const offer of this.#offers) offer.isCurrent &&= this.#isPossible(offer.load!);
  }

  /** How many node options with this load can be bought before the rest must get a place as the reserve has it. */
  #spareNodes({ value }: Load): number {
    const { reserve } = this.#terms;
    if (reserve === undefined || this.#surcharge === reserve.surcharge) return Number.POSITIVE_INFINITY;
    const needed = reserve.nodes * (this.#pricesLeft / this.#allPrices);
    const relieved = reserve.nodes * (value / this.#allPrices); // by each node that is bought
    if (relieved >= 1) return Number.POSITIVE_INFINITY;
    return Math.floor((reserve.mostNodes - 1 - this.#loads.length - needed) / (1 - relieved));
  }

  #economize(): void {
    this.#surcharge = this.#terms.reserve!.surcharge;
    for (const offer of this.#offers) if (offer.load !== undefined) offer.worth = this.#worthOf(offer.load);
  }

  #worthOf({ option, value }: Load): number {
    return value / Math.max(this.#costOf(option) + this.#surcharge, LEAST_COST);
  }

  #isPossible({ groups, counts }: Load): boolean {
    this.#effort.spend((1 + groups.length) / OPTIONS_PER_STEP);
    for (let i = 0; i < groups.length; i++) if (counts[i]! > this.#left[groups[i]!]!) return false;
    return true;
  }

  #costOf(option: number): number {
    return this.#problem.options[option]!.costPerHour;
  }
}
