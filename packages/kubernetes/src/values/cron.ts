import { goQuote } from './go-text.ts';
import { DurationError, nanosToMilliseconds, parseDuration } from './duration.ts';
import { parseInt64 } from './int64.ts';
import type { TimeZone } from './time-zone.ts';

/** When something recurs, in UTC. */
export type CronSchedule =
  | {
      readonly kind: 'fields';
      readonly minutes: ReadonlySet<number>;
      readonly hours: ReadonlySet<number>;
      readonly daysOfMonth: ReadonlySet<number>;
      readonly months: ReadonlySet<number>; // 1–12
      readonly daysOfWeek: ReadonlySet<number>; // 0–6 from Sunday
      /** Whether one of the two days is enough, as it is when neither field has a star. */
      readonly eitherDay: boolean;
    }
  | { readonly kind: 'every'; readonly delay: number }; // ms, in whole seconds

/** The text is no schedule. The message is that of robfig/cron, which upstream parses budgets with. */
export class CronError extends Error {
  override readonly name = 'CronError';
}

interface Field {
  readonly values: ReadonlySet<number>;
  readonly star: boolean;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Three letters each, in order from `min`. */
  readonly names: readonly string[];
}

const MINUTES: Bounds = { min: 0, max: 59, names: [] };
const HOURS: Bounds = { min: 0, max: 23, names: [] };
const DAYS_OF_MONTH: Bounds = { min: 1, max: 31, names: [] };
const MONTHS: Bounds = { min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') };
const DAYS_OF_WEEK: Bounds = { min: 0, max: 6, names: 'sun mon tue wed thu fri sat'.split(' ') };

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const HORIZON_YEARS = 5;
/** More than clocks ever jump at once. */
const MOST_SKIPPED = 3 * 60 * MINUTE;

// White space as Go has it: not the zero-width U+FEFF of JavaScript's \s, but the next-line U+0085.
const BLANKS = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/**
 * Reads a budget's schedule as upstream does, with robfig's standard parser and `TZ=UTC` before the text: five fields
 * (minute, hour, day of month, month, day of week), a descriptor such as `@daily`, or `@every 1h`. A time zone in the
 * text itself thus counts as a sixth field. Throws `CronError`.
 */
export function parseCron(text: string): CronSchedule {
  const words = text.split(BLANKS).filter((word) => word !== '');
  if (words[0]?.startsWith('@')) return parseDescriptor(trimTo(words, text));
  if (words.length !== 5) {
    throw new CronError(`expected exactly 5 fields, found ${words.length}: [${words.join(' ')}]`);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = words as [string, string, string, string, string];
  const minutes = parseField(minute, MINUTES).values;
  const hours = parseField(hour, HOURS).values;
  const dom = parseField(dayOfMonth, DAYS_OF_MONTH);
  const months = parseField(month, MONTHS).values;
  const dow = parseField(dayOfWeek, DAYS_OF_WEEK);
  const eitherDay = !dom.star && !dow.star;
  return { kind: 'fields', minutes, hours, daysOfMonth: dom.values, months, daysOfWeek: dow.values, eitherDay };
}

/**
 * The first hit strictly after an instant; both are ms since the epoch. `undefined` when there is none up to the end
 * of the fifth year from then, as for 30 February: robfig answers with the zero time there, which upstream takes for
 * "not after now" (spec 01 §14, 6).
 */
export function nextCronHit(schedule: CronSchedule, afterMs: number): number | undefined {
  if (schedule.kind === 'every') return Math.floor(afterMs / SECOND) * SECOND + schedule.delay;
  if (schedule.minutes.size === 0 || schedule.hours.size === 0) return undefined; // spares a walk through every minute
  const first = (Math.floor(afterMs / MINUTE) + 1) * MINUTE;
  const lastYear = yearOf((Math.floor(afterMs / SECOND) + 1) * SECOND) + HORIZON_YEARS;
  for (let day = Math.floor(first / DAY) * DAY; yearOf(day) <= lastYear; day += DAY) {
    if (!hasDay(schedule, new Date(day))) continue;
    const hit = findTime(schedule, Math.max(first - day, 0));
    if (hit !== undefined) return day + hit;
  }
  return undefined;
}

/** The time from an instant, which itself is left out, to another. In milliseconds since the epoch. */
export interface TimeSpan {
  readonly after: number;
  readonly until: number;
}

/**
 * Whether clocks in a time zone show a hit of the schedule within a time. A hit in an hour that is skipped there counts
 * at the end of the gap, one in an hour that is repeated counts twice: what a schedule protects stays protected.
 */
export function hasCronHit(schedule: CronSchedule, { after, until }: TimeSpan, zone: TimeZone): boolean {
  if (schedule.kind === 'every') return (nextCronHit(schedule, after) ?? until + 1) <= until;
  const last = zone.wallClock(until) + MOST_SKIPPED;
  let hit = nextCronHit(schedule, zone.wallClock(after) - MOST_SKIPPED);
  while (hit !== undefined && hit <= last) {
    const instants = [zone.firstInstantOf(hit), zone.lastInstantOf(hit)];
    if (instants.some((at) => at > after && at <= until)) return true;
    hit = nextCronHit(schedule, hit);
  }
  return false;
}

/**
 * The first instant strictly after another at which clocks in a time zone show a hit of the schedule, with skipped and
 * repeated hours as in `hasCronHit`; `undefined` when there is none within the years that `nextCronHit` looks at.
 */
export function nextCronInstant(schedule: CronSchedule, after: number, zone: TimeZone): number | undefined {
  if (schedule.kind === 'every') return nextCronHit(schedule, after);
  let earliest = Number.POSITIVE_INFINITY;
  let hit = nextCronHit(schedule, zone.wallClock(after) - MOST_SKIPPED);
  // In a repeated hour a hit shows a second time, after later hits have shown for the first time.
  while (hit !== undefined && zone.firstInstantOf(hit) < earliest) {
    for (const at of [zone.firstInstantOf(hit), zone.lastInstantOf(hit)]) {
      if (at > after) earliest = Math.min(earliest, at);
    }
    hit = nextCronHit(schedule, hit);
  }
  return earliest === Number.POSITIVE_INFINITY ? undefined : earliest;
}

type Fields = Extract<CronSchedule, { kind: 'fields' }>;

function hasDay(schedule: Fields, day: Date): boolean {
  if (!schedule.months.has(day.getUTCMonth() + 1)) return false;
  const dom = schedule.daysOfMonth.has(day.getUTCDate());
  const dow = schedule.daysOfWeek.has(day.getUTCDay());
  return schedule.eitherDay ? dom || dow : dom && dow;
}

/** The first time of day, in ms from midnight, that is not before `from`. */
function findTime(schedule: Fields, from: number): number | undefined {
  for (let time = from; time < DAY; time += MINUTE) {
    const minute = time / MINUTE;
    if (!schedule.hours.has(Math.floor(minute / 60))) time += (59 - (minute % 60)) * MINUTE;
    else if (schedule.minutes.has(minute % 60)) return time;
  }
  return undefined;
}

function yearOf(instant: number): number {
  return new Date(instant).getUTCFullYear();
}

/** The text without blanks around it, given its words. */
function trimTo(words: readonly string[], text: string): string {
  const last = words.at(-1)!;
  return text.slice(text.indexOf(words[0]!), text.lastIndexOf(last) + last.length);
}

function parseDescriptor(text: string): CronSchedule {
  const fields = DESCRIPTORS.get(text);
  if (fields !== undefined) return parseCron(fields);
  if (!text.startsWith('@every ')) throw new CronError(`unrecognized descriptor: ${text}`);
  try {
    const delay = nanosToMilliseconds(parseDuration(text.slice('@every '.length)));
    return { kind: 'every', delay: Math.max(delay - (delay % SECOND), SECOND) };
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new CronError(`failed to parse duration ${text}: ${error.message}`, { cause: error });
  }
}

/** A list such as `1,3-5,20/15`; empty items are skipped, and a list of nothing else never hits. */
function parseField(text: string, bounds: Bounds): Field {
  const values = new Set<number>();
  let star = false;
  for (const item of text.split(',')) {
    if (item === '') continue;
    const range = parseRange(item, bounds);
    star ||= range.star;
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
  }
  return { values, star };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly star: boolean;
}

/** `*`, `n` or `n-m`, with `/step` or without; `n/step` runs to the end, and a step over 1 takes away the star. */
function parseRange(text: string, bounds: Bounds): Range {
  const { min, max } = bounds;
  const [ends = '', stepText, ...slashed] = text.split('/');
  const [low = '', high, ...hyphened] = ends.split('-');
  const star = low === '*' || low === '?';
  const start = star ? BigInt(min) : parseValue(low, bounds);
  if (!star && hyphened.length > 0) throw new CronError(`too many hyphens: ${text}`);
  let end = star ? BigInt(max) : high === undefined ? start : parseValue(high, bounds);
  if (slashed.length > 0) throw new CronError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1n : parseNumber(stepText);
  if (stepText !== undefined && high === undefined) end = BigInt(max);

  if (start < min) throw new CronError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new CronError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new CronError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0n) throw new CronError(`step of range should be a positive number: ${text}`);
  return { start: Number(start), end: Number(end), step: Number(step), star: star && step === 1n };
}

function parseValue(text: string, { min, names }: Bounds): bigint {
  const index = names.indexOf(text.toLowerCase());
  return index >= 0 ? BigInt(min + index) : parseNumber(text);
}

/** Exact, since a number out of range is repeated in the message. */
function parseNumber(text: string): bigint {
  const value = parseInt64(text);
  if (typeof value === 'string') {
    throw new CronError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${value}`);
  }
  if (value < 0n) throw new CronError(`negative number (${value}) not allowed: ${text}`);
  return value;
}
