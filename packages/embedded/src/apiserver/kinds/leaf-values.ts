import { canonicalQuantity, goQuote, type Json, QuantityError } from '@karpenter-ts/kubernetes';
import { isNumber } from '../json-value.ts';

/** A text that is not what its type wants. The message is Go's. */
export class LeafError extends Error {
  override readonly name = 'LeafError';
}

/** A quantity in the form the server keeps: `0.5` becomes `500m`. */
export function readQuantity(value: Json): string {
  try {
    return canonicalQuantity(isNumber(value) || typeof value === 'string' ? String(value) : 'no quantity');
  } catch (error) {
    if (error instanceof QuantityError) throw new LeafError(error.message);
    throw error;
  }
}

const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:[.,]\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** As the server itself writes times, on a day that every month has: nearly all that come, and they stay as they are. */
const WRITTEN_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{6})?Z$/;

/** A time in UTC with whole seconds. */
export function readTime(text: string): string {
  const written = WRITTEN_TIME.exec(text);
  if (written !== null && written[1] === undefined) return text;
  return `${parseTime(text, '2006-01-02T15:04:05Z07:00')}Z`;
}

const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** A time in UTC with microseconds, all six digits of them. */
export function readMicroTime(text: string): string {
  const written = WRITTEN_TIME.exec(text);
  if (written !== null && written[1] !== undefined) return text;
  const seconds = parseTime(text, MICRO_LAYOUT);
  const rest = text.slice(seconds.length);
  const micros = /^\.(\d{6})[Z+-]/.exec(rest)?.[1];
  if (micros !== undefined) return `${seconds}.${micros}Z`;
  throw new LeafError(
    `parsing time ${goQuote(text)} as ${goQuote(MICRO_LAYOUT)}: cannot parse ${goQuote(rest)} as ".000000"`,
  );
}

function parseTime(text: string, layout: string): string {
  const [, local, zone] = TIME.exec(text) ?? [];
  const instant = Date.parse(`${local}${zone}`);
  if (!Number.isNaN(instant)) return new Date(instant).toISOString().slice(0, 19);
  throw new LeafError(`parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse ${goQuote(text)} as "2006"`);
}

/** Base64 as it came; Go's decoder lets line breaks pass, and they are gone when it writes. */
export function readBase64(text: string): string {
  const plain = text.replace(/[\r\n]/g, '');
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(plain)) return plain;
  const wrong = plain.search(/[^A-Za-z0-9+/]/);
  throw new LeafError(`illegal base64 data at input byte ${wrong < 0 ? plain.length - (plain.length % 4) : wrong}`);
}
