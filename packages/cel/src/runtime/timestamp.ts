const NANOS = 1_000_000_000n;
const MIN_SECONDS = -62_135_596_800n; // 0001-01-01T00:00:00Z
const MAX_SECONDS = 253_402_300_799n; // 9999-12-31T23:59:59Z

/** A moment in nanoseconds since the epoch, and the offset from UTC it was written with, which only printing shows. */
export class Timestamp {
  readonly typeName = 'google.protobuf.Timestamp';
  readonly nanos: bigint;
  readonly offsetMinutes: number;

  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }

  /** Whole seconds since the epoch, rounded down. */
  get seconds(): bigint {
    return floorDivide(this.nanos, NANOS);
  }

  /** True for the years 1 … 9999, which is all CEL has. */
  get isInRange(): boolean {
    return this.seconds >= MIN_SECONDS && this.seconds <= MAX_SECONDS;
  }

  /** RFC 3339 with as many decimals as needed. */
  toString(): string {
    const local = new Date(Number(this.seconds) * 1000 + this.offsetMinutes * 60_000).toISOString().slice(0, 19);
    const fraction = String(this.nanos - this.seconds * NANOS)
      .padStart(9, '0')
      .replace(/0+$/, '');
    return `${local}${fraction === '' ? '' : `.${fraction}`}${zone(this.offsetMinutes)}`;
  }
}

function zone(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'Z';
  const minutes = Math.abs(offsetMinutes);
  return `${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

const twoDigits = (n: number): string => String(n).padStart(2, '0');

const RFC3339 = /^(\d{4}-\d{2}-\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** An RFC 3339 text as Go's `time.Parse` reads it, in any year; undefined where Go reports an error. */
export function findTimestamp(text: string): Timestamp | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, date = '', hour = '', minute = '', second = '', fraction = '', zoneText = ''] = match;
  const midnight = findDate(date);
  const offsetMinutes = findOffset(zoneText);
  if (midnight === undefined || offsetMinutes === undefined) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = Number(hour) * 3600 + (Number(minute) - offsetMinutes) * 60 + Number(second);
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return new Timestamp(midnight.nanos + BigInt(seconds) * NANOS + nanos, offsetMinutes);
}

/** Midnight UTC of a `YYYY-MM-DD`, or undefined. */
export function findDate(text: string): Timestamp | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return isReal ? new Timestamp(BigInt(date.getTime()) * 1_000_000n) : undefined;
}

function findOffset(text: string): number | undefined {
  if (text === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(4));
  if (hours > 24 || minutes > 60) return undefined;
  return (hours * 60 + minutes) * (text.startsWith('-') ? -1 : 1);
}

function floorDivide(a: bigint, b: bigint): bigint {
  return a / b - (a % b < 0n ? 1n : 0n);
}
