import { goQuote } from '@karpenter-ts/kubernetes';
import { CelError } from '../runtime/value.ts';

/** An IP address: 32 or 128 bits. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
  /** Only IPv6 addresses have one, and nothing but parsing looks at it. */
  readonly zone?: string;
}

/** A text as Go's `netip.ParseAddr` reads it, with its errors. */
export function parseIp(text: string): IpAddress | CelError {
  const mark = /[.:%]/.exec(text)?.[0];
  const address =
    mark === '.'
      ? parseV4(text)
      : mark === ':'
        ? parseV6(text)
        : mark === '%'
          ? 'missing IPv6 address'
          : 'unable to parse IP';
  return typeof address === 'string' ? new CelError(`ParseAddr(${goQuote(text)}): ${address}`) : address;
}

/** A problem in Go's words, with the text it stopped at where Go shows that. */
type Problem = string;

function at(problem: string, rest: string): Problem {
  return `${problem} (at ${goQuote(rest)})`;
}

function parseV4(text: string): IpAddress | Problem {
  const bits = octets(text);
  return typeof bits === 'string' ? bits : { family: 4, bits };
}

function octets(text: string): bigint | Problem {
  let bits = 0n;
  let octet = '';
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (/\d/.test(char)) {
      if (octet === '0') return 'IPv4 field has octet with leading zero';
      octet += char;
      if (Number(octet) > 255) return 'IPv4 field has value >255';
    } else if (char !== '.') return at('unexpected character', text.slice(i));
    else {
      if (octet === '' || i === text.length - 1) return at('IPv4 field must have at least one digit', text.slice(i));
      if (++dots > 3) return 'IPv4 address too long';
      bits = (bits << 8n) | BigInt(octet);
      octet = '';
    }
  }
  return dots < 3 ? 'IPv4 address too short' : (bits << 8n) | BigInt(octet);
}

function parseV6(text: string): IpAddress | Problem {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? undefined : text.slice(percent + 1);
  if (zone === '') return 'zone must be a non-empty string';
  const bits = groups(percent < 0 ? text : text.slice(0, percent));
  return typeof bits === 'string' ? bits : { family: 6, bits, ...(zone !== undefined && { zone }) };
}

const GROUPS = 8;

/** Reads group after group; `gap` is where the `::` stood, in groups from the left. */
function groups(text: string): bigint | Problem {
  const found: bigint[] = [];
  let gap = text.startsWith('::') ? 0 : -1;
  let rest = gap === 0 ? text.slice(2) : text;
  while (found.length < GROUPS && !(rest === '' && gap >= 0)) {
    const digits = /^[\da-fA-F]*/.exec(rest)![0];
    if (digits.length > 4) return at('each group must have 4 or less digits', rest);
    if (digits === '') return at('each colon-separated field must have at least one digit', rest);
    if (rest[digits.length] === '.') {
      const embedded = embeddedV4(rest, found.length, gap);
      if (typeof embedded === 'string') return embedded;
      found.push(embedded >> 16n, embedded & 0xffffn);
      rest = '';
      break;
    }
    found.push(BigInt(`0x${digits}`));
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (rest[0] !== ':') return at('unexpected character, want colon', rest);
    if (rest.length === 1) return at('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest[0] !== ':') continue;
    if (gap >= 0) return at('multiple :: in address', rest);
    gap = found.length;
    rest = rest.slice(1);
  }
  if (rest !== '') return at('trailing garbage after address', rest);
  return join(found, gap);
}

function embeddedV4(rest: string, groupsBefore: number, gap: number): bigint | Problem {
  if (gap < 0 && groupsBefore !== 6) {
    return at('embedded IPv4 address must replace the final 2 fields of the address', rest);
  }
  if (groupsBefore > 6) return at('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
  return octets(rest);
}

function join(found: readonly bigint[], gap: number): bigint | Problem {
  if (found.length < GROUPS && gap < 0) return 'address string too short';
  if (found.length === GROUPS && gap >= 0) return 'the :: must expand to at least one field of zeros';
  const zeros = Array<bigint>(GROUPS - found.length).fill(0n);
  return found.toSpliced(Math.max(gap, 0), 0, ...zeros).reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** The canonical text: RFC 5952 for IPv6. */
export function formatIp({ family, bits }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
  const hex = Array.from({ length: GROUPS }, (_, i) => ((bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const runs = [...hex.join(':').matchAll(/\b0(?::0\b)+/g)];
  const [longest] = runs.toSorted((a, b) => b[0].length - a[0].length); // the first of equals, the sort being stable
  if (longest === undefined) return hex.join(':');
  const text = hex.join(':');
  return `${text.slice(0, longest.index).replace(/:$/, '')}::${text.slice(longest.index + longest[0].length).replace(/^:/, '')}`;
}

/** True for `::ffff:a.b.c.d`. */
export function isV4InV6({ family, bits }: IpAddress): boolean {
  return family === 6 && bits >> 32n === 0xffffn;
}
