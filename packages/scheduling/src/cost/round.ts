import { IMPROVING, type Reading } from '../progress.ts';
import type { Effort } from './effort.ts';
import type { Filler, Load } from './filler.ts';
import { MACHINES_PER_STEP, type Tender } from './tender.ts';

/** What was bought for all units. */
export interface Purchase {
  readonly loads: readonly Load[];
  readonly costPerHour: number;
}

/** On what terms machines are bought. */
export interface Terms {
  /** What a unit of each lot bids. */
  readonly bids: Float64Array;
  /** What a machine costs beside its price. */
  readonly surcharge: number;
  /** What to go over to before there are too many machines; `undefined` to go on whatever their number. */
  readonly reserve: Reserve | undefined;
}

/** A surcharge under which so many machines were enough for all units, and how many there may be. */
export interface Reserve {
  readonly surcharge: number;
  readonly machines: number;
  readonly mostMachines: number;
}

/** What a round is charged to, and what ends it when it is used up. */
export interface RoundEffort {
  readonly effort: Effort;
  readonly most: Effort;
}

/** The best load known for a machine. */
interface Offer {
  readonly machine: number;
  load: Load | undefined;
  /**
   * Bids per cost. Of a load that is out of date it is nearly an upper bound: fewer units are left to choose from. To fill
   * all such machines anew was tried: for the same effort, plans were a hundredth dearer.
   */
  worth: number;
  isCurrent: boolean;
}

/** Nothing costs less: so what is free can be compared too. */
const LEAST_COST = 1e-9;

/** One round of buying: the machine whose load bids most for its cost, again and again, until all units are housed. */
export class Round {
  readonly #tender: Tender;
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
  /** The sum of the bids of all units, and of those left. */
  readonly #allBids: number;
  #bidsLeft = 0;
  #best: Purchase | undefined;
  #lowest = Number.POSITIVE_INFINITY;

  constructor(tender: Tender, filler: Filler, terms: Terms, { effort, most }: RoundEffort) {
    this.#tender = tender;
    this.#filler = filler;
    this.#terms = terms;
    this.#effort = effort;
    this.#most = most;
    effort.spend(tender.lots.length + tender.machines.length);
    this.#left = Int32Array.from(tender.lots, ({ units }) => units.length);
    this.#requests = new Float64Array(tender.width);
    for (const [lot, units] of this.#left.entries()) {
      this.#units += units;
      tender.addRequests(this.#requests, lot, units);
      this.#bidsLeft += units * terms.bids[lot]!;
    }
    this.#allBids = this.#bidsLeft;
    this.#surcharge = terms.surcharge;
    this.#offers = tender.machines.map((_, machine) => this.#firstOffer(machine));
  }

  /** The cheapest way found to house all; `undefined` if some cannot be, or none was found within the effort. */
  *run(): Reading<Purchase | undefined> {
    while (this.#units > 0) {
      if (this.#most.isUsedUp) return this.#best;
      yield* this.#considerEnding();
      const load = yield* this.#findBest();
      if (load === undefined || load.lots.length === 0) return this.#best;
      const spare = this.#spareMachines(load);
      if (spare >= 1) this.#buy(load, spare);
      else this.#economize();
    }
    this.#consider(undefined);
    return this.#best;
  }

  /**
   * What the machine's first load of an earlier round is worth at the bids of this one. As bids move little, most machines
   * need not be filled anew to see that others are better: a round takes a third of the steps.
   */
  #firstOffer(machine: number): Offer {
    const known = this.#filler.firstLoads[machine];
    if (known === undefined) return { machine, load: undefined, worth: Number.POSITIVE_INFINITY, isCurrent: false };
    const { lots, counts } = known;
    this.#effort.spend(1 + lots.length / MACHINES_PER_STEP);
    let value = 0;
    for (let i = 0; i < lots.length; i++) value += counts[i]! * this.#terms.bids[lots[i]!]!;
    const load = { ...known, value };
    return { machine, load, worth: this.#worthOf(load), isCurrent: false };
  }

  /** All that is left on one machine may be cheaper than going on. */
  *#considerEnding(): Reading<void> {
    this.#effort.spend(this.#tender.machines.length / MACHINES_PER_STEP);
    for (let machine = 0; machine < this.#tender.machines.length; machine++) {
      if (!this.#tender.hasRoom(machine, this.#requests) || !this.#takesAll(machine)) continue;
      const load = this.#filler.fill(machine, this.#terms.bids, this.#left);
      if (this.#effort.isPauseDue()) yield IMPROVING;
      if (load.counts.reduce((sum, count) => sum + count, 0) < this.#units) continue; // host rules keep some apart
      this.#consider(load);
      return;
    }
  }

  #takesAll(machine: number): boolean {
    this.#effort.spend(this.#left.length);
    for (let lot = 0; lot < this.#left.length; lot++) {
      if (this.#left[lot]! > 0 && !this.#tender.takes(machine, lot)) return false;
    }
    return true;
  }

  /** Remembers what was bought so far, with a last load, if it is the cheapest yet. */
  #consider(last: Load | undefined): void {
    const costPerHour = this.#cost + (last === undefined ? 0 : this.#costOf(last.machine));
    const total = costPerHour + (this.#loads.length + (last === undefined ? 0 : 1)) * this.#terms.surcharge;
    if (total >= this.#lowest) return;
    this.#lowest = total;
    this.#best = { loads: last === undefined ? this.#loads : [...this.#loads, last], costPerHour };
  }

  *#findBest(): Reading<Load | undefined> {
    for (;;) {
      let top: Offer | undefined;
      for (const offer of this.#offers) if (top === undefined || offer.worth > top.worth) top = offer;
      this.#effort.spend(this.#offers.length / MACHINES_PER_STEP);
      if (this.#most.isUsedUp) return undefined;
      if (top === undefined || top.isCurrent) return top?.load;
      top.load = this.#filler.fill(top.machine, this.#terms.bids, this.#left);
      top.worth = this.#worthOf(top.load);
      top.isCurrent = true;
      if (this.#loads.length === 0) this.#filler.firstLoads[top.machine] = top.load;
      if (this.#effort.isPauseDue()) yield IMPROVING;
    }
  }

  /** Buys a load as often as there are units for it, within reason. */
  #buy(load: Load, mostTimes: number): void {
    let times = mostTimes;
    load.lots.forEach((lot, i) => (times = Math.min(times, Math.floor(this.#left[lot]! / load.counts[i]!))));
    for (let time = 0; time < times; time++) this.#loads.push(load);
    this.#cost += times * this.#costOf(load.machine);
    load.lots.forEach((lot, i) => {
      const units = times * load.counts[i]!;
      this.#left[lot]! -= units;
      this.#units -= units;
      this.#bidsLeft -= units * this.#terms.bids[lot]!;
      this.#tender.addRequests(this.#requests, lot, -units);
    });
    this.#effort.spend(times + load.lots.length + this.#offers.length / MACHINES_PER_STEP);
    for (const offer of this.#offers) offer.isCurrent &&= this.#isPossible(offer.load!);
  }

  /** How many machines with this load can be bought before the rest must be housed as the reserve has it. */
  #spareMachines({ value }: Load): number {
    const { reserve } = this.#terms;
    if (reserve === undefined || this.#surcharge === reserve.surcharge) return Number.POSITIVE_INFINITY;
    const needed = reserve.machines * (this.#bidsLeft / this.#allBids);
    const relieved = reserve.machines * (value / this.#allBids); // by each machine that is bought
    if (relieved >= 1) return Number.POSITIVE_INFINITY;
    return Math.floor((reserve.mostMachines - 1 - this.#loads.length - needed) / (1 - relieved));
  }

  #economize(): void {
    this.#surcharge = this.#terms.reserve!.surcharge;
    for (const offer of this.#offers) if (offer.load !== undefined) offer.worth = this.#worthOf(offer.load);
  }

  #worthOf({ machine, value }: Load): number {
    return value / Math.max(this.#costOf(machine) + this.#surcharge, LEAST_COST);
  }

  #isPossible({ lots, counts }: Load): boolean {
    this.#effort.spend((1 + lots.length) / MACHINES_PER_STEP);
    for (let i = 0; i < lots.length; i++) if (counts[i]! > this.#left[lots[i]!]!) return false;
    return true;
  }

  #costOf(machine: number): number {
    return this.#tender.machines[machine]!.costPerHour;
  }
}
