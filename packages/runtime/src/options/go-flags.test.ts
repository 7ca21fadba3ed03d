import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Flag, parseFlags } from './go-flags.ts';
import { bool, float, goDuration, int, type OptionType, text } from './option-type.ts';

const TYPES: Readonly<Record<string, OptionType<unknown>>> = { n: int, b: bool, s: text, d: goDuration, f: float };

/** The flags n, b, s, d and f as set by a command line, or why it was refused. */
function parse(...argv: readonly string[]): unknown {
  const values: Record<string, unknown> = {};
  const flags = new Map<string, Flag>();
  for (const [name, type] of Object.entries(TYPES)) {
    const set = (written: string): string | undefined => {
      const reading = type.fromFlag(written, '');
      if (reading.kind !== 'value') return reading.problem;
      values[name] = reading.value;
      return undefined;
    };
    flags.set(name, { isBoolean: type.placeholder === '', set });
  }
  const outcome = parseFlags(flags, argv);
  if (outcome.kind === 'parsed') return values;
  return outcome.kind === 'help' ? 'help' : outcome.problem;
}

test('one dash or two, the value attached or next, the last mention counts', () => {
  assert.deepEqual(parse('-n', '0x10'), { n: 16 });
  assert.deepEqual(parse('--n=1_0'), { n: 10 });
  assert.deepEqual(parse('-n=1', '--n', '2'), { n: 2 });
  assert.deepEqual(parse('-s=a=b'), { s: 'a=b' });
  assert.deepEqual(parse('-s='), { s: '' });
  assert.deepEqual(parse('-s', '-n'), { s: '-n' });
  assert.deepEqual(parse('-s', '--'), { s: '--' });
  assert.deepEqual(parse('-d', '1h2m', '-f', '1_0.5', '-n', '-5'), { d: 3_720_000, f: 10.5, n: -5 });
  assert.deepEqual(parse('-d', '0', '--'), { d: 0 });
});

test('a boolean never takes the next word', () => {
  assert.deepEqual(parse('-b'), { b: true });
  assert.deepEqual(parse('-b', '-n', '3'), { b: true, n: 3 });
  assert.deepEqual(parse('-b', '-b=false'), { b: false });
});

test('what is wrong is said in the words of Go', () => {
  assert.equal(parse('-n=08'), 'invalid value "08" for flag -n: parse error');
  assert.equal(parse('-n='), 'invalid value "" for flag -n: parse error');
  assert.equal(
    parse('-n', '9223372036854775808'),
    'invalid value "9223372036854775808" for flag -n: value out of range',
  );
  assert.equal(parse('-d', '5'), 'invalid value "5" for flag -d: parse error');
  assert.equal(parse('-f', '1e400'), 'invalid value "1e400" for flag -f: value out of range');
  assert.equal(parse('-b=1'), 'invalid boolean value "1" for -b: "1" is not a valid value, must be true or false');
  assert.equal(parse('-n'), 'flag needs an argument: -n');
  assert.equal(parse('---n'), 'bad flag syntax: ---n');
  assert.equal(parse('-='), 'bad flag syntax: -=');
  assert.equal(parse('--=x'), 'bad flag syntax: --=x');
  assert.equal(parse('-hh'), 'flag provided but not defined: -hh');
});

test('help is asked for by -h and -help, whatever follows', () => {
  for (const word of ['-h', '--help', '-h=1']) assert.equal(parse(word, '-n', 'x'), 'help');
});

test('words that are no flags are refused: Go would overlook them and all that follows', () => {
  for (const argv of [['-'], ['x'], ['--', 'x'], ['-n', '1', 'x']])
    assert.match(String(parse(...argv)), /^unexpected argument/);
});
