import {
  bool,
  featureGates,
  goDuration,
  int,
  type Level,
  list,
  mapType,
  oneOf,
  option,
  type Parsed,
  SECOND,
  text,
} from '@karpenter-ts/runtime';
import { NO_SCHEDULER_CONFIG, schedulerConfig } from './scheduler-config.ts';

const DEFAULT_CPU_REQUESTS = 1000;

/** Nothing or less means that nothing is known: the default, not an error. */
const millicores = mapType<number, number>(
  int,
  (value) => (value > 0 ? value : DEFAULT_CPU_REQUESTS),
  (value) => value,
);

const logLevel = mapType<'' | Level, Level>(
  oneOf('', 'debug', 'info', 'error'),
  (level) => level || 'info',
  (level) => level,
);

/** Optional features and whether they are on by default (spec 05 §1.4). */
const DEFAULT_GATES = {
  NodeRepair: false,
  ReservedCapacity: true,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
} as const satisfies Record<string, boolean>;

/** Settings that do not depend on the cloud. Names, types and defaults are upstream's (spec 05 §1.2). */
export const coreOptions = {
  karpenterService: option('karpenter-service', text, '', 'Name of the Service. Has no effect.'),
  metricsPort: option('metrics-port', int, 8080, 'Port of the metrics endpoint, on all addresses.'),
  healthProbePort: option('health-probe-port', int, 8081, 'Port of /healthz and /readyz, on all addresses.'),
  kubeClientQps: option('kube-client-qps', int, 200, 'Requests per second to the API server, for each kind.'),
  kubeClientBurst: option('kube-client-burst', int, 300, 'Requests to the API server at once, for each kind.'),
  enableProfiling: option('enable-profiling', bool, false, 'Serve profiles on the metrics port.'),
  disableControllerWarmup: option(
    'disable-controller-warmup',
    bool,
    true,
    'Start watches only after the election is won, not before.',
  ),
  disableLeaderElection: option('disable-leader-election', bool, false, 'Run without a lease: one replica only.'),
  disableClusterStateObservability: option(
    'disable-cluster-state-observability',
    bool,
    false,
    'Drop the metrics of pods, nodes and node pools, and the metrics and events of status conditions.',
  ),
  leaderElectionName: option('leader-election-name', text, 'karpenter-leader-election', 'Name of the lease.'),
  leaderElectionNamespace: option(
    'leader-election-namespace',
    text,
    '',
    "Namespace of the lease; empty for the pod's own.",
  ),
  memoryLimit: option(
    'memory-limit',
    int,
    -1,
    'Memory of the container in bytes; the heap is kept to three quarters of it.',
  ),
  cpuRequests: option(
    'cpu-requests',
    millicores,
    DEFAULT_CPU_REQUESTS,
    'CPU of the container in millicores; decides how much is done at once.',
  ),
  logLevel: option('log-level', logLevel, 'info', 'Least severe lines to log: debug, info or error.'),
  logOutputPaths: option('log-output-paths', list, ['stdout'], 'Where lines go: stdout, stderr and files, by commas.'),
  logErrorOutputPaths: option(
    'log-error-output-paths',
    list,
    ['stderr'],
    'Where the logger itself reports what it cannot write.',
  ),
  batchMaxDuration: option('batch-max-duration', goDuration, 10 * SECOND, 'Longest time pods are gathered.'),
  batchIdleDuration: option('batch-idle-duration', goDuration, 1 * SECOND, 'Pause after which no more are awaited.'),
  preferencePolicy: option(
    'preference-policy',
    oneOf('Respect', 'Ignore'),
    'Respect',
    'Whether preferred affinities and spreads count: Respect or Ignore.',
  ),
  minValuesPolicy: option(
    'min-values-policy',
    oneOf('Strict', 'BestEffort'),
    'Strict',
    'Whether minValues must be met: Strict or BestEffort.',
  ),
  ignoreDraRequests: option(
    'ignore-dra-requests',
    bool,
    true,
    'Leave pods with resource claims (dynamic resource allocation) alone. False is refused: it is not built.',
  ),
  featureGates: option(
    'feature-gates',
    featureGates(DEFAULT_GATES),
    DEFAULT_GATES,
    'Optional features, on or off. Those that are not built are named in the log.',
  ),
  schedulerConfig: option(
    'scheduler-config',
    schedulerConfig,
    NO_SCHEDULER_CONFIG,
    'Default topology spread of the scheduler, as YAML or JSON.',
  ),
};

/** The values of all core options. */
export type CoreOptions = Parsed<typeof coreOptions>;
