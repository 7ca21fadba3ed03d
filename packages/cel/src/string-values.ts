import { Duration } from './runtime/duration.ts';
import { findDate, findTimestamp, Timestamp } from './runtime/timestamp.ts';
import { CelError, type CelResult } from './runtime/value.ts';

/** A text as rules see it, by the format its schema gives it. The schema's own check comes first, so errors are rare. */
export function stringToCel(text: string, format: string | undefined): CelResult {
  switch (format) {
    case 'duration':
      return findDuration(text) ?? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
    case 'date':
      return findDate(text) ?? new CelError(`Invalid date formatted string ${text}: cannot parse`);
    case 'date-time':
      return findDateTime(text) ?? new CelError(`Invalid date-time formatted string ${text}: cannot parse`);
    case 'byte':
      return decode(text);
    case undefined:
    default:
      return text;
  }
}

/** The offset may be missing, and no text at all is the epoch. */
function findDateTime(text: string): Timestamp | undefined {
  if (text === '') return new Timestamp(0n);
  return findTimestamp(text) ?? findTimestamp(`${text}Z`);
}

const SECOND = 1_000_000_000n;

/** Units by how their names begin; the last of a row stands for all longer names, as `day` does for `days`. */
const UNITS: readonly (readonly [readonly string[], bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1_000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], SECOND],
  [['m', 'min'], 60n * SECOND],
  [['h', 'hr', 'hour'], 3600n * SECOND],
  [['d', 'day'], 86_400n * SECOND],
  [['w', 'wk', 'week'], 604_800n * SECOND],
];

/** Go's syntax, or counts with words: `2 days 3 hours`. */
function findDuration(text: string): Duration | undefined {
  const terms = [...text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)].flatMap(([, count, name]) => {
    const unit = UNITS.find(
      ([names]) => names.includes(name!.toLowerCase()) || name!.toLowerCase().startsWith(names.at(-1)!),
    );
    return unit === undefined ? [] : [BigInt(count!) * unit[1]];
  });
  return (
    Duration.find(text) ?? (terms.length === 0 ? undefined : new Duration(terms.reduce((sum, term) => sum + term)))
  );
}

/** The alphabet is that of URLs, though the schema's check is for the other one. */
function decode(text: string): CelResult {
  const illegal = text.search(/[^-\w=]/);
  if (illegal < 0) return new Uint8Array(Buffer.from(text, 'base64url'));
  return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${illegal}`);
}
