import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '@karpenter-ts/runtime';
import { type DisruptionOptions, disruptionOptions } from './disruption-options.ts';

const parse = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  parseOptions({ disruption: { rows: disruptionOptions } }, argv, env);

function options(argv: readonly string[], env: Readonly<Record<string, string>> = {}): DisruptionOptions {
  const parsed = parse(argv, env);
  assert.equal(parsed.kind, 'parsed', JSON.stringify(parsed));
  return parsed.options.disruption;
}

test('by default disruption is upstream’s', () => {
  assert.deepEqual(options([]), { consolidationMinSavings: { part: 0, perHour: 0 }, expirationPolicy: 'Forceful' });
});

test('every option is read from its flag and from its variable', () => {
  const written = { CONSOLIDATION_MIN_SAVINGS: '10%,0.05/h', EXPIRATION_POLICY: 'Graceful' };
  const expected = { consolidationMinSavings: { part: 0.1, perHour: 0.05 }, expirationPolicy: 'Graceful' };
  assert.deepEqual(options([], written), expected);
  const flags = Object.entries(written).map(([name, text]) => `--${name.toLowerCase().replaceAll('_', '-')}=${text}`);
  assert.deepEqual(options(flags), expected);
  assert.deepEqual(options(['--consolidation-min-savings=none']), options([]));
});

test('a bad value stops the start with the flag, the value and what is accepted', () => {
  const cases = [
    [
      'CONSOLIDATION_MIN_SAVINGS',
      '10',
      '--consolidation-min-savings: "10" is not none, a percentage up to 90%, an amount per hour such as 0.05/h, or both with a comma between them',
    ],
    ['EXPIRATION_POLICY', 'graceful', '--expiration-policy: "graceful" is not Graceful or Forceful'],
  ] as const;
  for (const [variable, text, problem] of cases) {
    const flag = `--${variable.toLowerCase().replaceAll('_', '-')}=${text}`;
    assert.deepEqual(parse([flag]), { kind: 'refused', problem, exitCode: 2 });
    assert.deepEqual(parse([], { [variable]: text }), { kind: 'refused', problem, exitCode: 2 });
  }
});
