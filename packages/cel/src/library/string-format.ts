import { Duration } from '../runtime/duration.ts';
import { formatPlaces, goQuote } from '@karpenter-ts/kubernetes';
import { CelList } from '../runtime/list.ts';
import { CelMap } from '../runtime/map.ts';
import { formatDouble, formatScientific } from '../runtime/number-text.ts';
import { Timestamp } from '../runtime/timestamp.ts';
import { CelError, type CelResult, type CelValue, TypeValue, typeNameOf, Uint } from '../runtime/value.ts';

/** What a clause of a format text does with its argument; the verbs are Go's. */
export type Verb = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

/** A part of a format text: plain text, or a clause that takes the next argument. */
export type FormatPart = string | { readonly verb: Verb; readonly precision: number };

const DEFAULT_PRECISION = 6;
const MAX_PRECISION = 2000; // a double has no more than 1074 decimals; ours, so that no rule can ask for a billion zeros

interface VerbTypes {
  readonly types: readonly string[];
  readonly complaint: string;
}

const HEX: VerbTypes = {
  types: ['int', 'uint', 'string', 'bytes'],
  complaint: 'only integers, byte buffers, and strings can be formatted as hex, was given',
};

/** The kinds of types each verb takes, and how an argument of any other is complained of. */
export const VERB_TYPES: Readonly<Record<Verb, VerbTypes>> = {
  s: {
    types: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
    complaint:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given',
  },
  d: { types: ['int', 'uint'], complaint: 'decimal clause can only be used on integers, was given' },
  f: { types: ['double', 'string'], complaint: 'fixed-point clause can only be used on doubles, was given' },
  e: { types: ['double', 'string'], complaint: 'scientific clause can only be used on doubles, was given' },
  b: { types: ['int', 'uint', 'bool'], complaint: 'only integers and bools can be formatted as binary, was given' },
  x: HEX,
  X: HEX,
  o: { types: ['int', 'uint'], complaint: 'octal clause can only be used on integers, was given' },
};

/** `text.format(args)`: `%%`, or `%` with an optional `.precision` and a verb. */
export function formatString(text: string, args: CelList): CelResult {
  let out = '';
  let used = 0;
  for (const part of parseFormat(text, args.size)) {
    if (part instanceof CelError) return part;
    if (typeof part === 'string') {
      out += part;
      continue;
    }
    const formatted = formatClause(part, args.at(used++));
    if (formatted instanceof CelError) return formatted;
    out += formatted;
  }
  return out;
}

/** The parts of a format text for `count` arguments; the first thing wrong with it comes last, as an error. */
export function* parseFormat(text: string, count: number): Generator<FormatPart | CelError> {
  const part = /[^%]+|%%|%(?:(\.)(\d*))?(.?)/suy;
  let used = 0;
  while (part.lastIndex < text.length) {
    const [match, point, digits = '', verb = ''] = part.exec(text)!;
    if (match[0] !== '%') yield match;
    else if (match === '%%') yield '%';
    else if (used === count) yield new CelError(`index ${used} out of range`);
    else {
      yield parseClause(point !== undefined, digits, verb);
      used++;
    }
  }
}

function parseClause(hasPoint: boolean, digits: string, verb: string): FormatPart | CelError {
  if (verb === '' && !hasPoint) return new CelError('unexpected end of string');
  if (verb === '') return badClause('error while parsing precision: could not find end of precision specifier');
  if (hasPoint && digits === '') {
    const problem = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
    return badClause(`error while parsing precision: ${problem}`);
  }
  if (!(verb in VERB_TYPES)) return badClause(`unrecognized formatting clause "${firstByte(verb)}"`);
  return { verb: verb as Verb, precision: hasPoint ? Number(digits) : DEFAULT_PRECISION };
}

/** Go reads the text byte by byte and shows a byte as the character of that number. */
function firstByte(verb: string): string {
  return String.fromCharCode(Buffer.from(verb)[0]!);
}

function badClause(problem: string): CelError {
  return new CelError(`could not parse formatting clause: ${problem}`);
}

function formatClause({ verb, precision }: { verb: Verb; precision: number }, arg: CelResult): string | CelError {
  if (arg instanceof CelError) return arg;
  const text = FORMATTERS[verb](arg, precision);
  if (text instanceof CelError) return new CelError(`error during formatting: ${text.message}`);
  return text ?? new CelError(`error during formatting: ${VERB_TYPES[verb].complaint} ${typeNameOf(arg)}`);
}

/** Undefined where the verb does not take the value. */
type Formatter = (arg: CelValue, precision: number) => string | CelError | undefined;

const FORMATTERS: Readonly<Record<Verb, Formatter>> = {
  s: (arg) => asText(arg),
  d: (arg) => integerOf(arg)?.toString(),
  b: (arg) => (typeof arg === 'boolean' ? (arg ? '1' : '0') : integerOf(arg)?.toString(2)),
  o: (arg) => integerOf(arg)?.toString(8),
  x: (arg) => asHex(arg),
  X: (arg) => asHex(arg)?.toUpperCase(),
  f: (arg, precision) => mapDouble(arg, (value) => asFixed(value, precision)),
  e: (arg, precision) => mapDouble(arg, asScientific)?.padStart(Math.min(precision, MAX_PRECISION)),
};

function integerOf(arg: CelValue): bigint | undefined {
  return arg instanceof Uint ? arg.value : typeof arg === 'bigint' ? arg : undefined;
}

function asHex(arg: CelValue): string | undefined {
  const bytes = typeof arg === 'string' ? Buffer.from(arg) : arg;
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : integerOf(arg)?.toString(16);
}

function mapDouble(arg: CelValue, format: (value: number) => string): string | undefined {
  const isSpelled = arg === 'NaN' || arg === 'Infinity' || arg === '-Infinity';
  if (typeof arg !== 'number' && !isSpelled) return undefined;
  const value = Number(arg);
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? format(value) : value > 0 ? '∞' : '-∞';
}

/** With the commas of the English locale, which is the only one the API server uses. */
function asFixed(value: number, precision: number): string {
  const [whole = '', fraction] = formatPlaces(value, Math.min(precision, MAX_PRECISION)).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Always six decimals: in version 2 of the extension the precision is a width. */
function asScientific(value: number): string {
  const { mantissa, power } = formatScientific(value, DEFAULT_PRECISION);
  const digits = Math.abs(power).toString().padStart(2, '0');
  const raised = digits.replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)]!);
  return `${mantissa}×10${power < 0 ? '⁻' : ''}${raised}`;
}

/** `%s`: a string as it is, but quoted within a list or a map. */
function asText(arg: CelValue): string | CelError | undefined {
  if (typeof arg === 'string') return arg;
  if (typeof arg === 'number') return formatDouble(arg);
  if (typeof arg === 'bigint' || typeof arg === 'boolean' || arg === null) return String(arg);
  if (arg instanceof Uint) return String(arg.value);
  if (arg instanceof Uint8Array) return utf8(arg);
  if (arg instanceof CelList) return listText(arg);
  if (arg instanceof CelMap) return mapText(arg);
  if (arg instanceof TypeValue) return arg.typeName;
  return arg instanceof Timestamp || arg instanceof Duration ? String(arg) : undefined;
}

function utf8(bytes: Uint8Array): string | CelError {
  const text = Buffer.from(bytes).toString();
  if (!text.includes('\ufffd')) return text;
  return new CelError('could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string');
}

function listText(list: CelList): string | CelError {
  const parts: string[] = [];
  for (const element of list) {
    const text = nestedText(element);
    if (text instanceof CelError) return text;
    parts.push(text);
  }
  return `[${parts.join(', ')}]`;
}

function mapText(map: CelMap): string | CelError {
  const parts: [key: string, text: string][] = [];
  for (const key of map.keys()) {
    const keyText = nestedText(key);
    const valueText = nestedText(map.find(key)!);
    if (keyText instanceof CelError) return keyText;
    if (valueText instanceof CelError) return valueText;
    parts.push([keyText, `${keyText}:${valueText}`]);
  }
  return `{${parts
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text)
    .join(', ')}}`;
}

function nestedText(value: CelResult): string | CelError {
  if (value instanceof CelError) return value;
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') {
    return Number.isFinite(value) ? formatPlaces(value, DEFAULT_PRECISION) : `"${formatDouble(value)}"`;
  }
  if (value instanceof Timestamp) return `timestamp("${String(value)}")`;
  if (value instanceof Duration) return `duration("${String(value)}")`;
  const text = asText(value) ?? new CelError(`no formatting function for ${typeNameOf(value)}`);
  return value instanceof Uint8Array && typeof text === 'string' ? `b${goQuote(text)}` : text;
}
