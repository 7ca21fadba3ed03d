const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const DAY = 24 * 60 * MINUTE;
/** Enough for the edges of many schedules; the cache starts anew beyond it. */
const MOST_OFFSETS = 4096;
/** There are about 600 names, and some may be written in small letters, too. */
const MOST_ZONES = 1000;

/** The version of the IANA database that Node is built with, such as `2025c`. */
export const TIME_ZONE_DATABASE: string = process.versions['tz'] ?? 'unknown';

/**
 * A time zone of the IANA database. A wall clock is what clocks show there, in milliseconds as if the zone were UTC, so
 * that the UTC methods of `Date` read its fields.
 */
export class TimeZone {
  static readonly #known = new Map<string, TimeZone>();

  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  /** Offsets from UTC by quarter of an hour: zones change their offset at no other moment, and formatting is slow. */
  readonly #offsets = new Map<number, number>();

  private constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The zone of this name, written as the database writes it; undefined if there is none. */
  static find(name: string): TimeZone | undefined {
    if (!/^[A-Za-z]/.test(name)) return undefined; // Intl takes offsets such as +01:00, which are no zones
    const known = TimeZone.#known.get(name);
    if (known !== undefined) return known;
    try {
      const zone = new TimeZone(name);
      if (TimeZone.#known.size >= MOST_ZONES) TimeZone.#known.clear();
      TimeZone.#known.set(name, zone);
      return zone;
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** What clocks show at an instant. */
  wallClock(at: number): number {
    return at + this.#offset(at);
  }

  /** The instants at which clocks show this: one, none in a skipped hour, or two in a repeated one. In order. */
  instantsOf(wallClock: number): readonly number[] {
    const [before, after] = this.#offsetsAround(wallClock);
    const candidates = before === after ? [before] : [before, after];
    return candidates
      .map((offset) => wallClock - offset)
      .filter((at) => this.wallClock(at) === wallClock)
      .sort((a, b) => a - b);
  }

  /** The first instant at which clocks show this; in a skipped hour, the first one after that. */
  firstInstantOf(wallClock: number): number {
    return this.instantsOf(wallClock)[0] ?? this.#endOfGap(wallClock);
  }

  /** The last instant at which clocks show this; in a skipped hour, the first one after that. */
  lastInstantOf(wallClock: number): number {
    return this.instantsOf(wallClock).at(-1) ?? this.#endOfGap(wallClock);
  }

  /** When clocks jump over this. */
  #endOfGap(wallClock: number): number {
    const [before, after] = this.#offsetsAround(wallClock);
    let low = wallClock - after; // the old offset still holds
    let high = wallClock - before; // the new one does
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / MINUTE / 2) * MINUTE;
      if (this.#offset(middle) === after) high = middle;
      else low = middle;
    }
    return Math.floor(high / MINUTE) * MINUTE;
  }

  /** A day before and a day after, whatever the offset is: no zone changes twice within that time. */
  #offsetsAround(wallClock: number): readonly [number, number] {
    return [this.#offset(wallClock - DAY), this.#offset(wallClock + DAY)];
  }

  #offset(at: number): number {
    const quarter = Math.floor(at / QUARTER);
    let offset = this.#offsets.get(quarter);
    if (offset === undefined) {
      offset = this.#offsetAt(quarter * QUARTER);
      if (this.#offsets.size >= MOST_OFFSETS) this.#offsets.clear();
      this.#offsets.set(quarter, offset);
    }
    return offset;
  }

  #offsetAt(at: number): number {
    const fields = new Map(this.#format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => fields.get(type) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - at;
  }
}

/** The names people may mean, for "did you mean". Old names of zones are accepted, but not among them. */
export function timeZoneNames(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')];
}
