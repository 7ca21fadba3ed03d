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
  assert.deepEqual(options([]), {
    consolidationCommandsPerPass: 1,
    consolidationMaxReplacements: 1,
    consolidationMinSavings: { part: 0, perHour: 0 },
    consolidationSearch: 'Prefix',
    drainStuckAfter: 900_000,
    expirationPolicy: 'Forceful',
    multiNodeConsolidationTimeout: 60_000,
    singleNodeConsolidationTimeout: 180_000,
  });
});

test('every option is read from its flag and from its variable', () => {
  const written = {
    CONSOLIDATION_COMMANDS_PER_PASS: '20',
    CONSOLIDATION_MAX_REPLACEMENTS: '3',
    CONSOLIDATION_MIN_SAVINGS: '10%,0.05/h',
    CONSOLIDATION_SEARCH: 'Subset',
    DRAIN_STUCK_AFTER: '1h',
    EXPIRATION_POLICY: 'Graceful',
    MULTI_NODE_CONSOLIDATION_TIMEOUT: '90s',
    SINGLE_NODE_CONSOLIDATION_TIMEOUT: '0s',
  };
  const expected = {
    consolidationCommandsPerPass: 20,
    consolidationMaxReplacements: 3,
    consolidationMinSavings: { part: 0.1, perHour: 0.05 },
    consolidationSearch: 'Subset',
    drainStuckAfter: 3_600_000,
    expirationPolicy: 'Graceful',
    multiNodeConsolidationTimeout: 90_000,
    singleNodeConsolidationTimeout: 0,
  };
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
    ['CONSOLIDATION_MAX_REPLACEMENTS', '0', '--consolidation-max-replacements: "0" is not a number from 1 to 10'],
    [
      'MULTI_NODE_CONSOLIDATION_TIMEOUT',
      '1',
      '--multi-node-consolidation-timeout: "1" is not a duration such as 1m, or 0s for none',
    ],
    ['CONSOLIDATION_COMMANDS_PER_PASS', '21', '--consolidation-commands-per-pass: "21" is not a number from 1 to 20'],
    ['DRAIN_STUCK_AFTER', '0s', '--drain-stuck-after: "0s" is not a duration above 0, such as 15m'],
    ['EXPIRATION_POLICY', 'graceful', '--expiration-policy: "graceful" is not Graceful or Forceful'],
  ] as const;
  for (const [variable, text, problem] of cases) {
    const flag = `--${variable.toLowerCase().replaceAll('_', '-')}=${text}`;
    assert.deepEqual(parse([flag]), { kind: 'refused', problem, exitCode: 2 });
    assert.deepEqual(parse([], { [variable]: text }), { kind: 'refused', problem, exitCode: 2 });
  }
});
