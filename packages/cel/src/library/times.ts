import type { Duration } from '../runtime/duration.ts';
import { goQuote, parseInt64 } from '@karpenter-ts/kubernetes';
import type { Timestamp } from '../runtime/timestamp.ts';
import { CelError, type CelResult } from '../runtime/value.ts';
import { member, type Overload } from './overload.ts';

const DAY = 86_400_000;

/** Parts of a date, read off one whose UTC fields are the local ones. Months and most days count from zero. */
const PARTS: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: (date) => Math.floor((date.getTime() - startOfYear(date)) / DAY),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const UNITS: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
};

/** Parts of timestamps, in UTC unless a time zone is given, and whole units of durations. */
export const times: readonly Overload[] = [
  ...Object.entries(PARTS).flatMap(([name, read]) => [
    member('timestamp', `${name}(): int`, (time: Timestamp) => BigInt(read(dateOf(time, 0)))),
    member('timestamp', `${name}(string): int`, (time: Timestamp, zone: string) => inZone(time, zone, read)),
  ]),
  ...Object.entries(UNITS).map(([name, unit]) =>
    member('duration', `${name}(): int`, (time: Duration) => whole(time, unit)),
  ),
  member('duration', 'getMilliseconds(): int', ({ nanos }: Duration) => nanos / 1_000_000n),
];

/** By way of a float, as in Go: an hour less a nanosecond may come out as an hour where there are many hours. */
function whole({ nanos }: Duration, unit: bigint): bigint {
  return BigInt(Math.trunc(Number(nanos / unit) + Number(nanos % unit) / Number(unit)));
}

function startOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return start.setUTCHours(0, 0, 0, 0);
}

function dateOf(time: Timestamp, offsetSeconds: number): Date {
  const milliseconds = (time.nanos - time.seconds * 1_000_000_000n) / 1_000_000n;
  return new Date((Number(time.seconds) + offsetSeconds) * 1000 + Number(milliseconds));
}

function inZone(time: Timestamp, zone: string, read: (date: Date) => number): CelResult {
  const offset = zone.includes(':') ? fixedOffset(zone) : namedOffset(zone, dateOf(time, 0));
  return offset instanceof CelError ? offset : BigInt(read(dateOf(time, offset)));
}

/** `+05:30` in seconds. */
function fixedOffset(zone: string): number | CelError {
  const colon = zone.indexOf(':');
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)].map((text) => {
    const value = parseInt64(text);
    return typeof value === 'bigint' ? Number(value) : new CelError(`strconv.Atoi: parsing ${goQuote(text)}: ${value}`);
  });
  if (typeof hours !== 'number') return hours!;
  if (typeof minutes !== 'number') return minutes!;
  return (hours * 60 + (zone.startsWith('-') ? -minutes : minutes)) * 60;
}

/** The offset in seconds an IANA time zone has at a moment. */
function namedOffset(zone: string, at: Date): number | CelError {
  if (zone === '' || zone === 'UTC') return 0;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(at).find((part) => part.type === 'timeZoneName')!.value;
    const [, sign, hours = 0, minutes = 0, seconds = 0] = /^GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(name)!;
    return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
  } catch {
    return new CelError(`unknown time zone ${zone}`);
  }
}
