import { MINUTE } from '../clock.ts';
import { Allowance } from './allowance.ts';
import { type CoreEvent, type EventLimit, eventName } from './event.ts';
import { RecentMap } from './recent-map.ts';

// The numbers are client-go's (tools/record/events_cache.go), which spec 05 §5.1 repeats.
const REMEMBERED = 4096;
const SIMILAR_EVENTS = 10;
const SIMILAR_WITHIN = 10 * MINUTE;
const PER_OBJECT: EventLimit = { perSecond: 1 / 300, burst: 25 };

/** The event to send: a new Event, or an update that raises the count of an existing one. */
export interface Correlated {
  readonly event: CoreEvent;
  readonly isUpdate: boolean;
}

/**
 * Protects the API server from too many events, as client-go does: a repeated event only raises the count of its Event;
 * ten events that differ only in their message are aggregated; too many events about one object are dropped.
 */
export class Correlator {
  readonly #similar = new RecentMap<{ readonly messages: Set<string>; at: number }>(REMEMBERED);
  readonly #sent = new RecentMap<CoreEvent>(REMEMBERED);
  readonly #allowances = new RecentMap<Allowance>(REMEMBERED);

  /** Returns undefined if nothing is to be sent. `nanos` names the Event if it is an aggregate. */
  correlate(event: CoreEvent, elapsed: number, nanos: bigint): Correlated | undefined {
    const [combined, key] = this.#combine(event, elapsed, nanos);
    const last = this.#sent.get(key);
    const counted = last === undefined ? combined : raised(last, combined);
    this.#sent.set(key, counted);
    if (!this.#allowanceOf(counted).tryTake(elapsed)) return undefined;
    return { event: counted, isUpdate: last !== undefined };
  }

  /** The event to count and the key to count it under: its own, or those of the aggregate. */
  #combine(event: CoreEvent, elapsed: number, nanos: bigint): [CoreEvent, string] {
    const similarKey = [subjectKey(event), event.reason].join('\0');
    let similar = this.#similar.get(similarKey);
    if (similar === undefined || elapsed - similar.at > SIMILAR_WITHIN) similar = { messages: new Set(), at: elapsed };
    similar.messages.add(event.message);
    similar.at = elapsed;
    this.#similar.set(similarKey, similar);
    if (similar.messages.size < SIMILAR_EVENTS) return [event, [similarKey, event.message].join('\0')];
    similar.messages.delete(similar.messages.values().next().value!); // keeps the size at the threshold
    const metadata = { ...event.metadata, name: eventName(event.involvedObject.name, nanos) };
    return [{ ...event, metadata, message: `(combined from similar events): ${event.message}` }, similarKey];
  }

  #allowanceOf(event: CoreEvent): Allowance {
    const key = subjectKey(event);
    const allowance = this.#allowances.get(key) ?? new Allowance(PER_OBJECT);
    this.#allowances.set(key, allowance);
    return allowance;
  }
}

/** `event` as a further occurrence of `last`. */
function raised(last: CoreEvent, event: CoreEvent): CoreEvent {
  return { ...event, metadata: last.metadata, firstTimestamp: last.firstTimestamp, count: last.count + 1 };
}

function subjectKey({ source, involvedObject: on, type }: CoreEvent): string {
  return [source.component, on.kind, on.namespace, on.name, on.uid, on.apiVersion, type].join('\0');
}
