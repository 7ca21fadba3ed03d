import type { Reading } from '../progress.ts';
import { Filler, type Load } from './filler.ts';
import { type Purchase, type Reserve, Round, type Terms } from './round.ts';
import type { Tender } from './tender.ts';

/** How hard to look. */
export interface Effort {
  /** Of the filler; four times as many until anything is found. */
  readonly steps: number;
  readonly rounds: number;
  /** Without a better result. */
  readonly idleRounds: number;
}

/**
 * Finds a cheap set of machines for all lots, in rounds.
 *
 * Each unit bids what it should cost. In a round, the machine whose load bids most for its cost is bought first, and so on
 * until all are housed. Then bids learn: units on machines that cost more than was bid for them bid more next time, the
 * others less. So what is hard to house well gets its choice of machines early, and the rest fills up behind.
 *
 * Where that takes more machines than are allowed, a surcharge on each makes larger ones more attractive; it learns too.
 * Every other round is lavish: it starts with the last surcharge that was too low, and goes over to one that was not as
 * late as possible. Otherwise a thousand like pods would have either all small machines or all large ones.
 *
 * `undefined` if no round stayed within `mostMachines`. Yields after each machine that was filled.
 */
export function* auction(tender: Tender, mostMachines: number, effort: Effort): Reading<readonly Load[] | undefined> {
  const filler = new Filler(tender);
  let best: Purchase | undefined;
  let bids = firstBids(tender);
  let surcharge = 0;
  let tooLow = 0;
  let reserve: Reserve | undefined;
  for (let round = 0, idle = 0; round < effort.rounds && idle < effort.idleRounds; round++, idle++) {
    const isLavish = reserve !== undefined && round % 2 === 0;
    const terms = isLavish ? { bids, surcharge: tooLow, reserve } : { bids, surcharge, reserve: undefined };
    const bought = yield* new Round(tender, filler, terms).run();
    if (bought === undefined) break;
    const { loads, costPerHour } = settle(tender, bought);
    const isAllowed = loads.length <= mostMachines;
    if (isAllowed && costPerHour < (best?.costPerHour ?? Number.POSITIVE_INFINITY)) {
      best = { loads, costPerHour };
      idle = 0;
    }
    if (filler.steps > effort.steps * (best === undefined ? 4 : 1)) break;
    bids = learn(tender, terms, loads);
    if (isLavish) continue;
    if (!isAllowed) tooLow = surcharge;
    else if (surcharge > 0) reserve = { surcharge, machines: loads.length, mostMachines };
    surcharge = adjust(surcharge, { loads, costPerHour }, mostMachines);
  }
  return best?.loads;
}

/** What a unit would cost on the machine that is cheapest when full of its like. */
function firstBids({ lots, machines, width, requests, rooms }: Tender): Float64Array {
  const bids = new Float64Array(lots.length).fill(Number.POSITIVE_INFINITY);
  for (const [machine, { lots: fitting, costPerHour }] of machines.entries()) {
    for (const lot of fitting) {
      let most = Number.POSITIVE_INFINITY;
      for (let r = 0; r < width; r++) {
        const amount = requests[lot * width + r]!;
        if (amount > 0) most = Math.min(most, Math.floor(rooms[machine * width + r]! / amount));
      }
      bids[lot] = Math.min(bids[lot]!, costPerHour / most);
    }
  }
  return bids;
}

/** More if there were too many machines, less if there were few enough. */
function adjust(surcharge: number, { loads, costPerHour }: Purchase, mostMachines: number): number {
  if (loads.length <= mostMachines) return surcharge * 0.8;
  if (surcharge === 0) return costPerHour / loads.length / 4;
  return surcharge * Math.min(3, Math.max(1.25, loads.length / mostMachines));
}

/** Every load on the cheapest machine for it. */
function settle(tender: Tender, { loads }: Purchase): Purchase {
  const settled = new Map<Load, Load>();
  for (const load of new Set(loads)) settled.set(load, { ...load, machine: tender.cheapestFor(load) });
  const all = loads.map((load) => settled.get(load)!);
  return { loads: all, costPerHour: all.reduce((sum, { machine }) => sum + tender.machines[machine]!.costPerHour, 0) };
}

/** Bids move three quarters of the way to what was paid for what they were worth. */
function learn(tender: Tender, { bids, surcharge }: Terms, loads: readonly Load[]): Float64Array {
  const paid = new Float64Array(bids.length);
  for (const { machine, lots, counts, value } of loads) {
    const ratio = value > 0 ? (tender.machines[machine]!.costPerHour + surcharge) / value : 1;
    lots.forEach((lot, i) => (paid[lot]! += ratio * counts[i]!));
  }
  return bids.map((bid, lot) => (bid * (1 + (3 * paid[lot]!) / tender.lots[lot]!.units.length)) / 4);
}
