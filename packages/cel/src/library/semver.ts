import { goQuote } from '@karpenter-ts/kubernetes';
import { CelError, type CelResult, type CelValue, NO_SUCH_OVERLOAD, Opaque } from '../runtime/value.ts';
import { global, member, type Overload } from './overload.ts';

class Semver extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly (bigint | string)[];
  readonly build: readonly string[];

  constructor(numbers: Semver['numbers'], prerelease: Semver['prerelease'], build: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
    this.build = build;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof Semver ? compare(this, other) === 0n : NO_SUCH_OVERLOAD;
  }

  toString(): string {
    const prerelease = this.prerelease.length === 0 ? '' : `-${this.prerelease.join('.')}`;
    return `${this.numbers.join('.')}${prerelease}${this.build.length === 0 ? '' : `+${this.build.join('.')}`}`;
  }
}

/** Semantic versions; with `true`, a leading `v`, leading zeros and missing parts are put right first. */
export const semver: readonly Overload[] = [
  global('semver(string): Semver', parse),
  global('semver(string, bool): Semver', parseLoosely),
  global('isSemver(string): bool', (text: string) => parse(text) instanceof Semver),
  global('isSemver(string, bool): bool', (text: string, loose: boolean) => parseLoosely(text, loose) instanceof Semver),
  member('Semver', 'isGreaterThan(Semver): bool', (a: Semver, b: Semver) => compare(a, b) > 0n),
  member('Semver', 'isLessThan(Semver): bool', (a: Semver, b: Semver) => compare(a, b) < 0n),
  member('Semver', 'compareTo(Semver): int', compare),
  member('Semver', 'major(): int', ({ numbers }: Semver) => numbers[0]),
  member('Semver', 'minor(): int', ({ numbers }: Semver) => numbers[1]),
  member('Semver', 'patch(): int', ({ numbers }: Semver) => numbers[2]),
];

/** Build metadata does not count; a release is above its prereleases, and among those numbers are below words. */
function compare(a: Semver, b: Semver): -1n | 0n | 1n {
  for (let i = 0; i < 3; i++) {
    if (a.numbers[i] !== b.numbers[i]) return a.numbers[i]! < b.numbers[i]! ? -1n : 1n;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return a.prerelease.length === b.prerelease.length ? 0n : a.prerelease.length === 0 ? 1n : -1n;
  }
  for (let i = 0; i < Math.max(a.prerelease.length, b.prerelease.length); i++) {
    const [x, y] = [a.prerelease[i], b.prerelease[i]];
    if (x === y) continue;
    if (x === undefined || y === undefined) return x === undefined ? -1n : 1n;
    if (typeof x !== typeof y) return typeof x === 'bigint' ? -1n : 1n;
    return x < y ? -1n : 1n;
  }
  return 0n;
}

function parseLoosely(text: string, loose: boolean): CelResult {
  if (!loose) return parse(text);
  const parts = splitThree(text.replace(/^v/, '')).map((part) => part.replace(/^0+(?=\d)/, ''));
  if (parts.length < 3 && /[+-]/.test(parts.at(-1)!)) {
    return new CelError('short version cannot contain PreRelease/Build meta data');
  }
  return parse([...parts, '0', '0'].slice(0, 3).join('.'));
}

/** At the first two dots; the rest stays whole. */
function splitThree(text: string): readonly string[] {
  const [major = '', minor, ...rest] = text.split('.');
  if (minor === undefined) return [major];
  return rest.length === 0 ? [major, minor] : [major, minor, rest.join('.')];
}

function parse(text: string): CelResult {
  if (text === '') return new CelError('Version string empty');
  const parts = splitThree(text);
  if (parts.length !== 3) return new CelError('No Major.Minor.Patch elements found');
  const [, patchText = '', prereleaseText, buildText] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(parts[2]!)!;
  const major = parseNumber('Major', parts[0]!);
  if (major instanceof CelError) return major;
  const minor = parseNumber('Minor', parts[1]!);
  if (minor instanceof CelError) return minor;
  const patch = parseNumber('Patch', patchText);
  if (patch instanceof CelError) return patch;
  const prerelease = parseAll(prereleaseText, parsePrerelease);
  if (prerelease instanceof CelError) return prerelease;
  const build = parseAll(buildText, parseBuild);
  return build instanceof CelError ? build : new Semver([major, minor, patch], prerelease, build);
}

function parseAll<T>(text: string | undefined, parsePart: (part: string) => T | CelError): readonly T[] | CelError {
  const parsed: T[] = [];
  for (const part of text?.split('.') ?? []) {
    const value = parsePart(part);
    if (value instanceof CelError) return value;
    parsed.push(value);
  }
  return parsed;
}

function parseNumber(name: 'Major' | 'Minor' | 'Patch', text: string): bigint | CelError {
  if (/\D/.test(text))
    return new CelError(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(text)}`);
  if (/^0./.test(text)) return new CelError(`${name} number must not contain leading zeroes ${goQuote(text)}`);
  return parseUint(text);
}

function parseUint(text: string): bigint | CelError {
  if (text === '') return new CelError('strconv.ParseUint: parsing "": invalid syntax');
  const fits = text.length <= 20 && BigInt.asUintN(64, BigInt(text)) === BigInt(text);
  return fits ? BigInt(text) : new CelError(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`);
}

function parsePrerelease(text: string): bigint | string | CelError {
  if (text === '') return new CelError('Prerelease is empty');
  if (/[^-\w]|_/.test(text)) return new CelError(`Invalid character(s) found in prerelease ${goQuote(text)}`);
  if (/\D/.test(text)) return text;
  if (!/^0./.test(text)) return parseUint(text);
  return new CelError(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`);
}

function parseBuild(text: string): string | CelError {
  if (text === '') return new CelError('Build meta data is empty');
  if (/[^-\w]|_/.test(text)) return new CelError(`Invalid character(s) found in build meta data ${goQuote(text)}`);
  return text;
}
