import { IMPROVING, type Reading } from '../progress.ts';
import { type Effort, pauseAfter } from './effort.ts';
import { Filler, type Load } from './filler.ts';
import { type Purchase, type Reserve, Round, type RoundEffort, type Terms } from './round.ts';
import { foundersOf } from './node-options.ts';
import type { PackingProblem } from './packing-problem.ts';

/**
 * How many rounds there are, and how many of them may pass without a better result: more while all of them together took
 * only so many steps.
 */
const MOST_ROUNDS = 40;
const MOST_IDLE_ROUNDS = 12;
const MOST_QUICK_ROUNDS = 20;
const QUICK_STEPS = 200_000;

/** After so many rounds every node option is filled anew, because its best load changes with the prices. */
const ROUNDS_PER_MEMORY = 5;

/** The first surcharge, as a part of the average price of as many nodes as are allowed. */
const FIRST_SURCHARGE = 0.08;

/**
 * Finds a cheap set of nodes for all pod groups. The idea is that of column generation, without a solver: every unit has
 * a price, which plays the part of its dual price, and the search alternates between filling nodes at the present prices
 * and correcting the prices.
 *
 * In a round, the node option whose load is worth most for its cost is bought first, and so on until every unit has a place.
 * Then the prices are corrected. Units on nodes that cost more than their loads were worth become dearer, the others
 * cheaper. So units that are hard to place get the first choice of node options in the next round.
 *
 * Where that takes more nodes than are allowed, a surcharge on each node makes larger ones more attractive. The surcharge
 * is corrected after each round too. Every other round uses a reserve: it starts with the last surcharge that was too low,
 * and changes to one that was high enough as late as possible. Otherwise a thousand like pods would have either all small
 * nodes or all large ones. Where hundreds of classes cannot share nodes, finding the right surcharge takes longer than the
 * effort allows. So the very first round has a surcharge so high that there are hardly ever too many nodes.
 *
 * The search ends when `effort` is used up and a round stayed within `mostNodes`, or else when `untilFound` is, of which
 * `effort` is a part. The result is `undefined` if no round stayed within `mostNodes`.
 */
export function* searchPrices(
  problem: PackingProblem,
  mostNodes: number,
  effort: Effort,
  untilFound: Effort = effort,
): Reading<Purchase | undefined> {
  const filler = new Filler(problem, effort);
  let prices = firstPrices(problem, effort);
  yield* pauseAfter(problem.groups.length);
  let best = yield* highSurchargeRound(problem, filler, prices, mostNodes, { effort, most: untilFound });
  let isFound = false;
  let surcharge = 0;
  let tooLow = 0;
  let reserve: Reserve | undefined;
  for (let round = 0, idle = 0; round < MOST_ROUNDS; round++, idle++) {
    if (idle >= (effort.spent < QUICK_STEPS ? MOST_QUICK_ROUNDS : MOST_IDLE_ROUNDS)) break;
    if (round % ROUNDS_PER_MEMORY === ROUNDS_PER_MEMORY - 1) filler.firstLoads.length = 0;
    const isLowFirst = reserve !== undefined && round % 2 === 0;
    const terms = isLowFirst ? { prices, surcharge: tooLow, reserve } : { prices, surcharge, reserve: undefined };
    const most = best === undefined ? untilFound : effort.whole; // a round that was begun is worth finishing
    const bought = yield* new Round(problem, filler, terms, { effort, most }).run();
    if (bought === undefined) break;
    const { loads, costPerHour } = yield* moveToCheapest(problem, bought, effort);
    const isAllowed = loads.length <= mostNodes;
    isFound ||= isAllowed;
    if (isAllowed && costPerHour < (best?.costPerHour ?? Number.POSITIVE_INFINITY)) {
      best = { loads, costPerHour };
      idle = 0;
    }
    if ((isFound ? effort : untilFound).isUsedUp) break;
    if (!isFound && untilFound !== effort) idle = 0;
    prices = learn(problem, terms, loads, effort);
    if (isLowFirst) continue;
    if (!isAllowed) tooLow = surcharge;
    else if (surcharge > 0) reserve = { surcharge, nodes: loads.length, mostNodes };
    surcharge = adjust(surcharge, { loads, costPerHour }, mostNodes);
  }
  return best;
}

/**
 * With what a node option costs on average, if all prices are paid and as many are bought as may be, as a surcharge on
 * each.
 */
function* highSurchargeRound(
  problem: PackingProblem,
  filler: Filler,
  prices: Float64Array,
  mostNodes: number,
  effort: RoundEffort,
): Reading<Purchase | undefined> {
  if (mostNodes === Number.POSITIVE_INFINITY) return undefined;
  const all = problem.groups.reduce((sum, { units }, group) => sum + units.length * prices[group]!, 0);
  const terms = { prices, surcharge: all / mostNodes, reserve: undefined };
  const bought = yield* new Round(problem, filler, terms, effort).run();
  if (bought === undefined) return undefined;
  const moved = yield* moveToCheapest(problem, bought, effort.effort);
  return moved.loads.length <= mostNodes ? moved : undefined;
}

/** What a unit would cost on the node option that is cheapest when full of its like. */
function firstPrices({ groups, options, width, requests, rooms }: PackingProblem, effort: Effort): Float64Array {
  const prices = new Float64Array(groups.length).fill(Number.POSITIVE_INFINITY);
  for (const [option, nodeOption] of options.entries()) {
    const { costPerHour } = nodeOption;
    const fitting = foundersOf(nodeOption);
    effort.spend(fitting.length);
    for (const group of fitting) {
      let most = Number.POSITIVE_INFINITY;
      for (let r = 0; r < width; r++) {
        const amount = requests[group * width + r]!;
        if (amount > 0) most = Math.min(most, Math.floor(rooms[option * width + r]! / amount));
      }
      prices[group] = Math.min(prices[group]!, costPerHour / most);
    }
  }
  return prices;
}

/** More if there were too many node options, less if there were few enough. */
function adjust(surcharge: number, { loads, costPerHour }: Purchase, mostNodes: number): number {
  if (loads.length <= mostNodes) return surcharge * 0.8;
  if (surcharge === 0) return (costPerHour / mostNodes) * FIRST_SURCHARGE;
  return surcharge * Math.min(3, Math.max(1.25, loads.length / mostNodes));
}

/** Every load on the cheapest node option for it. */
function* moveToCheapest(problem: PackingProblem, { loads }: Purchase, effort: Effort): Reading<Purchase> {
  const moved = new Map<Load, Load>();
  for (const load of new Set(loads)) {
    if (effort.isPauseDue()) yield IMPROVING;
    moved.set(load, { ...load, option: problem.cheapestFor(load, effort) });
  }
  effort.spend(loads.length);
  const all = loads.map((load) => moved.get(load)!);
  return { loads: all, costPerHour: all.reduce((sum, { option }) => sum + problem.options[option]!.costPerHour, 0) };
}

/** Prices move three quarters of the way to what was paid for what they were worth. */
function learn(
  problem: PackingProblem,
  { prices, surcharge }: Terms,
  loads: readonly Load[],
  effort: Effort,
): Float64Array {
  const paid = new Float64Array(prices.length);
  for (const { option, groups, counts, value } of loads) {
    effort.spend(1 + groups.length / 2);
    const ratio = value > 0 ? (problem.options[option]!.costPerHour + surcharge) / value : 1;
    groups.forEach((group, i) => (paid[group]! += ratio * counts[i]!));
  }
  return prices.map((price, group) => (price * (1 + (3 * paid[group]!) / problem.groups[group]!.units.length)) / 4);
}
