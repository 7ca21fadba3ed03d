import type { CapacityReservation } from '@aws-sdk/client-ec2';
import { MINUTE, runParallel, type SteadyClock } from '@karpenter-ts/runtime';
import { AnswerCache } from '../api/answer-cache.ts';
import type { Ec2Api } from '../api/aws-apis.ts';
import { isAwsNotFound } from '../api/aws-error.ts';
import { pages } from '../api/pages.ts';
import { withContext } from '../api/with-context.ts';
import type { ReservationCounts } from './reservation-counts.ts';
import {
  idsInput,
  reservationQueries,
  type ReservationSearch,
  type ReservationSelectorTerm,
  searchInput,
} from './reservation-queries.ts';

const LIFETIME = 1 * MINUTE;

/** Ids in one call. A call for more would be long, and one unknown id fails it whole. */
const IDS_PER_CALL = 100;

const SINGLE_CALLS = 10;

export interface CapacityReservationDeps {
  readonly ec2: Pick<Ec2Api, 'describeCapacityReservations'>;
  readonly clock: SteadyClock;
  readonly counts: ReservationCounts;
  readonly stopping: AbortSignal;
}

type Reservations = readonly CapacityReservation[];

/**
 * The capacity reservations of EC2, each question answered from memory for a minute. Whatever EC2 answers also sets the
 * counts of what is left.
 */
export class CapacityReservations {
  readonly #deps: CapacityReservationDeps;
  readonly #answers: AnswerCache<Reservations>;

  constructor(deps: CapacityReservationDeps) {
    this.#deps = deps;
    this.#answers = new AnswerCache({ clock: deps.clock, lifetime: LIFETIME, stopping: deps.stopping });
  }

  /** Those that match any of the terms and have not ended, each once. Terms without a match are no error. */
  async list(terms: readonly ReservationSelectorTerm[], signal: AbortSignal): Promise<Reservations> {
    const { ids, searches } = reservationQueries(terms);
    const found = await Promise.all([
      ...this.#byIds(ids, signal),
      ...searches.map((search) => this.#answers.get(search.key, (stop) => this.#search(search, stop), signal)),
    ]).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw withContext('listing capacity reservations', cause);
    });
    const unique = new Map(found.flat().map((reservation) => [reservation.CapacityReservationId, reservation]));
    return [...unique.values()].filter((reservation) => !hasEnded(reservation, this.#deps.clock.now()));
  }

  /** One answer for each id. The ids that are not known yet are asked for together. */
  #byIds(ids: readonly string[], signal: AbortSignal): readonly Promise<Reservations>[] {
    const unknown = ids.filter((id) => !this.#answers.has(id));
    const calls = new Map<string, Promise<ReadonlyMap<string, CapacityReservation>>>();
    for (let start = 0; start < unknown.length; start += IDS_PER_CALL) {
      const together = unknown.slice(start, start + IDS_PER_CALL);
      const call = this.#describe(together, this.#deps.stopping);
      for (const id of together) calls.set(id, call);
    }
    const answerOf = async (id: string): Promise<Reservations> => {
      const call = calls.get(id) ?? this.#describe([id], this.#deps.stopping); // its answer expired a moment ago
      const reservation = (await call).get(id);
      return reservation === undefined ? [] : [reservation];
    };
    return ids.map((id) => this.#answers.get(id, () => answerOf(id), signal));
  }

  /** By id. EC2 refuses a call that names an unknown id, so each is then asked for alone. */
  async #describe(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, CapacityReservation>> {
    const found = new Map<string, CapacityReservation>();
    const ask = async (some: readonly string[]): Promise<void> => {
      const output = await this.#deps.ec2.describeCapacityReservations(idsInput(some), signal);
      for (const reservation of this.#count(output.CapacityReservations ?? [])) {
        found.set(reservation.CapacityReservationId ?? '', reservation);
      }
    };
    try {
      await ask(ids);
    } catch (error) {
      if (!isAwsNotFound(error)) throw error;
      if (ids.length === 1) return found;
      const errors = await runParallel(ids, SINGLE_CALLS, (id) => ask([id]));
      const other = errors.find((one) => !isAwsNotFound(one));
      if (other !== undefined) throw other;
    }
    return found;
  }

  async #search(search: ReservationSearch, signal: AbortSignal): Promise<Reservations> {
    const found: CapacityReservation[] = [];
    const { describeCapacityReservations } = this.#deps.ec2;
    for await (const page of pages(describeCapacityReservations, searchInput(search), signal)) {
      found.push(...this.#count(page.CapacityReservations ?? []));
    }
    return found;
  }

  #count(reservations: Reservations): Reservations {
    const { counts } = this.#deps;
    for (const { CapacityReservationId: id, AvailableInstanceCount } of reservations) {
      if (id !== undefined) counts.counted(id, AvailableInstanceCount ?? 0);
    }
    return reservations;
  }
}

function hasEnded({ EndDate }: CapacityReservation, now: number): boolean {
  return EndDate !== undefined && EndDate.getTime() <= now;
}
