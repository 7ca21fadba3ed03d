import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CoreOptions, coreOptions } from './core-options.ts';
import { type Environment, type ParsedOptions, parseOptions } from '@karpenter-ts/runtime';

const GROUPS = { core: { rows: coreOptions } };

const parse = (argv: readonly string[], env: Environment = {}): ParsedOptions<typeof GROUPS> =>
  parseOptions(GROUPS, argv, env);

function options(argv: readonly string[], env: Environment = {}): CoreOptions {
  const parsed = parse(argv, env);
  assert.equal(parsed.kind, 'parsed', JSON.stringify(parsed));
  return parsed.options.core;
}

function problem(argv: readonly string[], env: Environment = {}): string {
  const parsed = parse(argv, env);
  assert.equal(parsed.kind, 'refused');
  assert.equal(parsed.exitCode, 2);
  return parsed.problem;
}

const DEFAULT_GATES = {
  NodeRepair: false,
  ReservedCapacity: true,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
};

const DEFAULTS: CoreOptions = {
  karpenterService: '',
  metricsPort: 8080,
  healthProbePort: 8081,
  kubeClientQps: 200,
  kubeClientBurst: 300,
  enableProfiling: false,
  disableControllerWarmup: true,
  disableLeaderElection: false,
  disableClusterStateObservability: false,
  leaderElectionName: 'karpenter-leader-election',
  leaderElectionNamespace: '',
  memoryLimit: -1,
  cpuRequests: 1000,
  logLevel: 'info',
  logOutputPaths: ['stdout'],
  logErrorOutputPaths: ['stderr'],
  batchMaxDuration: 10_000,
  batchIdleDuration: 1000,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  ignoreDraRequests: true,
  featureGates: DEFAULT_GATES,
  schedulerConfig: { defaultConstraints: [] },
};

test('05/1 without flags and variables every default holds', () => {
  assert.deepEqual(options([]), DEFAULTS);
});

test('05/2 a flag wins over its variable', () => {
  assert.equal(options(['--metrics-port', '9000'], { METRICS_PORT: '0' }).metricsPort, 9000);
});

test('05/3 every option is read from its variable', () => {
  const env = {
    KARPENTER_SERVICE: 'svc',
    METRICS_PORT: '0',
    HEALTH_PROBE_PORT: '1',
    KUBE_CLIENT_QPS: '-1',
    KUBE_CLIENT_BURST: '3',
    ENABLE_PROFILING: 'true',
    DISABLE_CONTROLLER_WARMUP: 'f',
    DISABLE_LEADER_ELECTION: 'T',
    DISABLE_CLUSTER_STATE_OBSERVABILITY: '1',
    LEADER_ELECTION_NAME: 'lease',
    LEADER_ELECTION_NAMESPACE: 'ns',
    MEMORY_LIMIT: '1000',
    CPU_REQUESTS: '2000',
    LOG_LEVEL: 'debug',
    LOG_OUTPUT_PATHS: 'stdout,/tmp/a.log',
    LOG_ERROR_OUTPUT_PATHS: '/tmp/b.log',
    BATCH_MAX_DURATION: '1m5s',
    BATCH_IDLE_DURATION: '500ms',
    PREFERENCE_POLICY: 'Ignore',
    MIN_VALUES_POLICY: 'BestEffort',
    IGNORE_DRA_REQUESTS: 'False',
    FEATURE_GATES: 'NodeRepair=true',
    SCHEDULER_CONFIG: 'podTopologySpread: {}',
  };
  assert.deepEqual(
    Object.keys(env).sort(),
    Object.values(coreOptions)
      .map(({ variable }) => variable)
      .sort(),
  );
  assert.deepEqual(options([], env), {
    karpenterService: 'svc',
    metricsPort: 0,
    healthProbePort: 1,
    kubeClientQps: -1,
    kubeClientBurst: 3,
    enableProfiling: true,
    disableControllerWarmup: false,
    disableLeaderElection: true,
    disableClusterStateObservability: true,
    leaderElectionName: 'lease',
    leaderElectionNamespace: 'ns',
    memoryLimit: 1000,
    cpuRequests: 2000,
    logLevel: 'debug',
    logOutputPaths: ['stdout', '/tmp/a.log'],
    logErrorOutputPaths: ['/tmp/b.log'],
    batchMaxDuration: 65_000,
    batchIdleDuration: 500,
    preferencePolicy: 'Ignore',
    minValuesPolicy: 'BestEffort',
    ignoreDraRequests: false,
    featureGates: { ...DEFAULT_GATES, NodeRepair: true },
    schedulerConfig: { defaultConstraints: [] },
  });
});

test('05/4 flags and variables merge, flags winning where both exist', () => {
  const env = { METRICS_PORT: '1', LOG_LEVEL: 'error', BATCH_MAX_DURATION: '5s' };
  assert.deepEqual(options(['-metrics-port=2', '--kube-client-qps', '7', '--log-level=debug'], env), {
    ...DEFAULTS,
    metricsPort: 2,
    kubeClientQps: 7,
    logLevel: 'debug',
    batchMaxDuration: 5000,
  });
});

test('05/5 a variable that cannot be read counts as not set, with one warning', () => {
  const env = { ENABLE_PROFILING: 'maybe', METRICS_PORT: '0x10', BATCH_IDLE_DURATION: '1', IGNORE_DRA_REQUESTS: 'no' };
  const parsed = parse([], env);
  assert.equal(parsed.kind, 'parsed');
  assert.deepEqual(parsed.options.core, DEFAULTS);
  assert.deepEqual(parsed.warnings, [
    'ignoring METRICS_PORT="0x10": not a valid int, using 8080',
    'ignoring ENABLE_PROFILING="maybe": not a valid bool, using false',
    'ignoring BATCH_IDLE_DURATION="1": not a valid duration, using 1s',
    'ignoring IGNORE_DRA_REQUESTS="no": not a valid bool, using true',
  ]);
});

test('a variable that a flag overrides needs no warning, and a text set to nothing is set', () => {
  const parsed = parse(['--metrics-port=1'], { METRICS_PORT: 'abc', LEADER_ELECTION_NAME: '' });
  assert.equal(parsed.kind, 'parsed');
  assert.deepEqual([parsed.warnings, parsed.options.core.leaderElectionName], [[], '']);
});

test('05/6 a boolean variable takes Go words, its flag only true and false', () => {
  assert.equal(options([], { ENABLE_PROFILING: '1' }).enableProfiling, true);
  assert.match(problem(['--enable-profiling=1']), /^parsing flags, invalid boolean value "1" for -enable-profiling: /);
});

test('05/7 a bare boolean flag is true, and the attached form sets false', () => {
  assert.equal(options(['--enable-profiling']).enableProfiling, true);
  assert.equal(options(['--disable-controller-warmup=false']).disableControllerWarmup, false);
});

test('05/8 a boolean followed by a word is refused instead of losing all flags after it', () => {
  assert.match(problem(['--enable-profiling', 'false', '--metrics-port', '3']), /unexpected argument "false"/);
});

test('05/9 log levels are "", debug, info and error, nothing else', () => {
  assert.deepEqual(
    ['', 'debug', 'info', 'error'].map((level) => options(['--log-level', level]).logLevel),
    ['info', 'debug', 'info', 'error'],
  );
  for (const level of ['hello', 'warn', 'INFO']) {
    assert.equal(problem(['--log-level', level]), `validating cli flags / env vars, invalid LOG_LEVEL "${level}"`);
  }
});

test('05/10 CPU requests of nothing or less become 1000', () => {
  for (const argv of [
    ['--cpu-requests', '0'],
    ['--cpu-requests', '-50'],
  ])
    assert.equal(options(argv).cpuRequests, 1000);
});

test('05/11 policies are case-sensitive, and empty is no policy', () => {
  const invalid = 'validating cli flags / env vars, invalid PREFERENCE_POLICY';
  assert.equal(problem(['--preference-policy', 'ignore']), `${invalid} "ignore"`);
  assert.equal(problem([], { PREFERENCE_POLICY: '' }), `${invalid} ""`);
});

test('05/12 the policy for minimum values is Strict or BestEffort', () => {
  assert.equal(options(['--min-values-policy', 'BestEffort']).minValuesPolicy, 'BestEffort');
  assert.equal(
    problem([], { MIN_VALUES_POLICY: 'Loose' }),
    'validating cli flags / env vars, invalid MIN_VALUES_POLICY "Loose"',
  );
});

test('checks come in order: log level, preferences, minimum values, gates, scheduler', () => {
  const wrong = [
    ['--scheduler-config', '{', 'parsing scheduler config'],
    ['--feature-gates', 'x', 'parsing feature gates'],
    ['--min-values-policy', 'x', 'MIN_VALUES_POLICY'],
    ['--preference-policy', 'x', 'PREFERENCE_POLICY'],
    ['--log-level', 'x', 'LOG_LEVEL'],
  ] as const;
  for (let count = 1; count <= wrong.length; count++) {
    const argv = wrong.slice(0, count).flatMap(([flag, value]) => [flag, value]);
    assert.ok(problem(argv).includes(wrong[count - 1]![2]), problem(argv));
  }
  assert.match(problem(['--log-level=x', '--nonsense']), /^parsing flags, /);
});

test('05/13 gates are trimmed, and unknown ones are overlooked with a warning', () => {
  assert.deepEqual(options(['--feature-gates', 'SpotToSpotConsolidation\t= false']).featureGates, DEFAULT_GATES);
  const parsed = parse(['--feature-gates', 'Hello=true,SpotToSpotConsolidation=true,Drift=false,Hello=false']);
  assert.equal(parsed.kind, 'parsed');
  assert.equal(parsed.options.core.featureGates.SpotToSpotConsolidation, true);
  assert.deepEqual(parsed.warnings, ['ignoring unknown feature gates: Hello, Drift']);
});

test('05/14 a gate that is flipped leaves all others at their defaults', () => {
  for (const [gate, isOn] of Object.entries(DEFAULT_GATES)) {
    const { featureGates } = options(['--feature-gates', `${gate}=${!isOn}`], { FEATURE_GATES: 'NodeOverlay=true' });
    assert.deepEqual(featureGates, { ...DEFAULT_GATES, [gate]: !isOn });
  }
});

test('the last mention of a gate counts, and segments of no length are overlooked', () => {
  const { featureGates } = options(['--feature-gates', ',NodeRepair=true,,NodeRepair=F,NodeOverlay=1,']);
  assert.deepEqual([featureGates.NodeRepair, featureGates.NodeOverlay], [false, true]);
});

test('05/15 gates that are no pairs, or not true or false, are refused', () => {
  const malformed = 'parsing feature gates, malformed pair, expect string=bool';
  assert.equal(problem(['--feature-gates', 'NodeRepair']), malformed);
  assert.equal(problem(['--feature-gates', 'NodeRepair=true, ']), malformed);
  assert.equal(
    problem([], { FEATURE_GATES: 'NodeRepair=yes' }),
    'parsing feature gates, invalid value of NodeRepair: yes, err: strconv.ParseBool: parsing "yes": invalid syntax',
  );
});

test('05/22 unknown flags, kubeconfig among them, end with usage and exit code 2; help with 0', () => {
  const refused = parse(['--kubeconfig', '/root/.kube/config']);
  assert.equal(refused.kind, 'refused');
  assert.equal(refused.problem, 'parsing flags, flag provided but not defined: -kubeconfig');
  const help = parse(['--help']);
  assert.equal(help.kind, 'help');
  assert.equal(help.exitCode, 0);
  assert.equal(refused.usage, help.usage);
  for (const { flag, variable } of Object.values(coreOptions)) {
    assert.match(
      help.usage,
      new RegExp(`^  -${flag}( \\w+)?\\n    \\t.* \\(default .*, variable ${variable}\\)$`, 'm'),
    );
  }
});

test('05/36 the memory limit is read as bytes, -1 if not set', () => {
  assert.equal(options([], { MEMORY_LIMIT: '1000' }).memoryLimit, 1000);
  assert.equal(options(['--memory-limit', '0x40000000']).memoryLimit, 2 ** 30);
  assert.equal(options([]).memoryLimit, -1);
});
