import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE } from '../clock.ts';
import { featureGates } from './feature-gates.ts';
import { option, type Parsed } from './option.ts';
import { bool, float, goDuration, int, text } from './option-type.ts';
import { parseOptions } from './parse-options.ts';

// In the manner of a provider's options: spec 05 §1.3.
const cloudRows = {
  clusterName: option('cluster-name', text, '', 'Name of the cluster.'),
  overhead: option('vm-memory-overhead-percent', float, 0.075, 'Memory lost to the hypervisor.'),
  reservedEnis: option('reserved-enis', int, 0, 'Network interfaces left alone.'),
  isolated: option('isolated-vpc', bool, false, 'No calls out of the network.'),
  refresh: option('ami-refresh-interval', goDuration, 1 * MINUTE, 'Life of the image cache.'),
  gates: option('aws-feature-gates', featureGates({ NodeClassCEL: false }), { NodeClassCEL: false }, 'Gates.'),
};

const coreRows = { port: option('metrics-port', int, 8080, 'Port.') };

function checkCloud({ clusterName, overhead, reservedEnis, refresh }: Parsed<typeof cloudRows>): string[] {
  const problems: (string | false)[] = [
    overhead < 0 && 'vm-memory-overhead-percent cannot be negative',
    reservedEnis < 0 && 'reserved-enis cannot be negative',
    clusterName === '' && 'missing field, cluster-name',
    refresh < 1 * MINUTE && 'ami-refresh-interval must be at least 1m',
  ];
  return problems.filter((problem) => problem !== false);
}

const parse = (argv: readonly string[], env: Record<string, string> = { CLUSTER_NAME: 'c' }) =>
  parseOptions({ core: { rows: coreRows }, cloud: { rows: cloudRows, check: checkCloud } }, argv, env);

test('groups share one command line and get their own values', () => {
  const parsed = parse(['--metrics-port', '9', '--cluster-name', 'prod', '--isolated-vpc'], {
    VM_MEMORY_OVERHEAD_PERCENT: '.1',
  });
  assert.equal(parsed.kind, 'parsed');
  assert.deepEqual(parsed.options, {
    core: { port: 9 },
    cloud: {
      clusterName: 'prod',
      overhead: 0.1,
      reservedEnis: 0,
      isolated: true,
      refresh: 60_000,
      gates: { NodeClassCEL: false },
    },
  });
});

test('05/16 a required option that is missing is named', () => {
  const parsed = parse([], {});
  assert.equal(parsed.kind === 'refused' && parsed.problem, 'validating options, missing field, cluster-name');
});

test('05/18 a group reports all that is wrong with its values together', () => {
  const wrong = [
    ['--vm-memory-overhead-percent', '-0.01', 'vm-memory-overhead-percent cannot be negative'],
    ['--reserved-enis', '-1', 'reserved-enis cannot be negative'],
    ['--ami-refresh-interval', '30s', 'ami-refresh-interval must be at least 1m'],
  ] as const;
  const problemOf = (argv: readonly string[]): string | undefined => {
    const parsed = parse(argv);
    return parsed.kind === 'refused' ? parsed.problem : undefined;
  };
  for (const [flag, value, problem] of wrong) assert.equal(problemOf([flag, value]), `validating options, ${problem}`);
  assert.equal(
    problemOf(wrong.flatMap(([flag, value]) => [flag, value])),
    `validating options, ${wrong.map(([, , problem]) => problem).join('; ')}`,
  );
});

test('05/19 a second set of gates is read as the first', () => {
  const gates = (argv: readonly string[], env: Record<string, string> = {}): unknown => {
    const parsed = parse(argv, { CLUSTER_NAME: 'c', ...env });
    return parsed.kind === 'parsed' && parsed.options.cloud.gates;
  };
  assert.deepEqual(gates(['--aws-feature-gates', 'Hello=true']), { NodeClassCEL: false });
  const env = { AWS_FEATURE_GATES: 'NodeClassCEL=true' };
  assert.deepEqual(gates([], env), { NodeClassCEL: true });
  assert.deepEqual(gates(['--aws-feature-gates', 'NodeClassCEL=false'], env), { NodeClassCEL: false });
});

test('usage lists the options of all groups by name', () => {
  const parsed = parse(['-h']);
  assert.equal(parsed.kind, 'help');
  assert.deepEqual(
    [...parsed.usage.matchAll(/^ {2}-([a-z-]+)/gm)].map(([, flag]) => flag),
    [
      'ami-refresh-interval',
      'aws-feature-gates',
      'cluster-name',
      'isolated-vpc',
      'metrics-port',
      'reserved-enis',
      'vm-memory-overhead-percent',
    ],
  );
});
