import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExtensionOptions, extensionOptions } from './extension-options.ts';
import { type Environment, parseOptions } from '@karpenter-ts/runtime';

const parse = (argv: readonly string[], env: Environment = {}) =>
  parseOptions({ extensions: { rows: extensionOptions } }, argv, env);

function options(argv: readonly string[], env: Environment = {}): ExtensionOptions {
  const parsed = parse(argv, env);
  assert.equal(parsed.kind, 'parsed', JSON.stringify(parsed));
  return parsed.options.extensions;
}

test('cost-aware packing is on by default, for a gain of five per cent and at most twice the nodes', () => {
  assert.deepEqual(options([]), {
    extensions: 'all',
    packingPolicy: 'CostAware',
    packingMinGain: 0.05,
    packingMaxExtraNodes: 1,
    nodeFee: 0,
  });
});

test('every packing option is read from its flag and from its variable', () => {
  const expected = {
    extensions: new Set(['A1', 'A4']),
    packingPolicy: 'Upstream',
    packingMinGain: 0.075,
    packingMaxExtraNodes: Number.POSITIVE_INFINITY,
    nodeFee: 0.02,
  };
  const written = {
    EXTENSIONS: 'A1, A4',
    PACKING_POLICY: 'Upstream',
    PACKING_MIN_GAIN: '7.5%',
    PACKING_MAX_EXTRA_NODES: 'unlimited',
    NODE_FEE: '0.02/h',
  };
  assert.deepEqual(options([], written), expected);
  const flags = Object.entries(written).map(([name, text]) => `--${name.toLowerCase().replaceAll('_', '-')}=${text}`);
  assert.deepEqual(options(flags), expected);
  assert.deepEqual(options(['--extensions=none']).extensions, new Set());
});

test('a bad value stops the start with the flag, the value and what is accepted, wherever it was written', () => {
  const cases = [
    ['EXTENSIONS', 'A1;A4', '--extensions: "A1;A4" is not all, none or ids such as A1,A4'],
    ['PACKING_POLICY', 'Cheap', '--packing-policy: "Cheap" is not CostAware or Upstream'],
    ['PACKING_MIN_GAIN', '5', '--packing-min-gain: "5" is not a percentage from 0% to 100%'],
    [
      'PACKING_MAX_EXTRA_NODES',
      'none',
      '--packing-max-extra-nodes: "none" is not a percentage from 0% to 100% or unlimited',
    ],
    ['NODE_FEE', '11/h', '--node-fee: "11/h" is not an amount from 0/h to 10/h'],
  ] as const;
  for (const [variable, text, problem] of cases) {
    const flag = `--${variable.toLowerCase().replaceAll('_', '-')}=${text}`;
    assert.deepEqual(parse([flag]), { kind: 'refused', problem, exitCode: 2 });
    assert.deepEqual(parse([], { [variable]: text }), { kind: 'refused', problem, exitCode: 2 });
  }
});
