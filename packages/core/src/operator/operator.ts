import type { ConfiguredProvider, ProviderSettings } from '@karpenter-ts/cloudprovider';
import { apiVersionOf } from '@karpenter-ts/kubernetes';
import {
  type Checks,
  Client,
  clientSink,
  collectNodeMetrics,
  collectProcessMetrics,
  type LeaderFence,
  type Logger,
  Manager,
  type Metrics,
  metricsServer,
  ping,
  probeRoutes,
  probeServer,
  Profiler,
  profileRoutes,
  publishBuildInfo,
  QueuedRecorder,
  RateLimits,
  requestMetrics,
  type Routes,
  type Runnable,
  SECOND,
  serveMetrics,
  type SteadyClock,
  type Transport,
  userAgent,
} from '@karpenter-ts/runtime';
import type { OperatorOptions } from '../options/operator-options.ts';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { NodeClaimDeletions } from '../nodeclaim/deletions.ts';
import { createCaches, listCaches } from '../state/caches.ts';
import { createControllers } from './controllers.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { createElector } from './election.ts';
import type { ReadModel } from './read-model.ts';
import { listUnbuiltSettings } from './unbuilt-settings.ts';

/** Everything that differs between processes of Karpenter. */
export interface OperatorSettings {
  readonly options: OperatorOptions;
  readonly provider: ConfiguredProvider;
  readonly transport: Transport;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly build: { readonly version: string; readonly commit: string };
  /** Numbers in [0, 1), for names and jitter; Math.random unless given. */
  readonly random?: () => number;
  /** How many decisions the read model remembers, if not as many as usual. */
  readonly keptDecisions?: number;
  /** Whether to serve metrics and probes; off where many operators share a process. */
  readonly serves: boolean;
  /** Aborted if the process is to stop before it has started: what the provider waits for then ends. */
  readonly starting?: AbortSignal;
}

export interface Operator {
  /** Runs the controllers. */
  readonly manager: Manager;
  readonly readModel: ReadModel;
}

/** A complete Karpenter, ready to start. Everything it knows comes from the API server and the provider. */
export async function createOperator(settings: OperatorSettings): Promise<Operator> {
  const { options, clock, logger, metrics, build, random = Math.random } = settings;
  publishBuildInfo(metrics, build);
  for (const line of listUnbuiltSettings(options)) logger.info(line);
  const election = options.disableLeaderElection
    ? undefined
    : await createElector(settings, (draft) => events.publish(draft));
  const client = limitedClient(settings, election?.fence);
  const unfenced = limitedClient(settings); // events report what has happened, also that leading has ended
  const events = new QueuedRecorder({ sink: clientSink(unfenced), clock, logger, metrics, random });
  const caches = createCaches({
    client,
    clock,
    logger,
    metrics,
    random,
    provider: settings.provider,
    readsResourceSlices: !options.ignoreDraRequests,
  });
  const stopping = new AbortController();
  settings.starting?.addEventListener('abort', () => stopping.abort(settings.starting?.reason), { once: true });
  const deletions = new NodeClaimDeletions({ client, caches, metrics, clock });
  const parts = await settings.provider.create({
    client,
    caches,
    clock,
    logger,
    metrics,
    events,
    settings: providerSettings(options),
    random,
    deleteNodeClaim: (nodeClaim, reason, signal) => deletions.request(nodeClaim, reason, signal),
    stopping: stopping.signal,
  });
  const core: ControllerDeps = { client, caches, provider: parts.provider, clock, events, metrics, logger, options };
  const { controllers, readModel } = createControllers(core, { random, deletions, size: settings.keptDecisions });
  const manager: Manager = new Manager({
    clock,
    logger,
    metrics,
    random,
    servers: settings.serves ? createServers(settings, () => manager.hasSynced) : [],
    caches: listCaches(caches),
    background: [atTheEnd(() => stopping.abort())],
    controllers: [...controllers, ...(parts.controllers ?? [])],
    ...(election && { election }),
    warmUp: !options.disableControllerWarmup,
    events,
  });
  return { manager, readModel };
}

function providerSettings({ minValuesPolicy, featureGates }: OperatorOptions): ProviderSettings {
  const { ReservedCapacity: reservedCapacity, NodeOverlay: nodeOverlay } = featureGates;
  return { minValuesPolicy, reservedCapacity, nodeOverlay };
}

/** Waits until the process stops. */
function atTheEnd(run: () => void): Runnable {
  return {
    start: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(run()), { once: true });
      }),
  };
}

/** How long a write in progress may go on when the process is told to stop. */
const WRITE_GRACE = 1 * SECOND;

/** A client with a rate limit for each kind of request. Its fence refuses writes while this process does not lead. */
function limitedClient(settings: OperatorSettings, fence?: LeaderFence): Client {
  const { options, transport, clock, metrics, build } = settings;
  const limits = { qps: options.kubeClientQps, burst: options.kubeClientBurst };
  return new Client({
    transport,
    clock,
    userAgent: userAgent(build.version),
    rateLimits: new RateLimits(limits, clock),
    observer: requestMetrics(metrics),
    beforeWrite: fence?.enter,
    writeGrace: WRITE_GRACE,
  });
}

/** Metrics and probes, on every replica (spec 05 §§2.4, 2.5). */
function createServers(settings: OperatorSettings, hasSynced: () => boolean): readonly Runnable[] {
  const { options, logger, metrics, clock, transport, build } = settings;
  const observer = requestMetrics(metrics);
  const client = new Client({ transport, clock, userAgent: userAgent(build.version), observer, purpose: 'probes' });
  collectProcessMetrics(metrics);
  const profiler = options.enableProfiling ? new Profiler() : undefined;
  const metricsRoutes: Routes = {
    '/metrics': (request, response) => serveMetrics(metrics, request, response),
    ...(profiler && profileRoutes(profiler, clock)),
  };
  const readiness: Checks = { crd: () => checkKinds(client), manager: () => checkCaches(hasSynced()), readyz: ping };
  const probes = {
    ...probeRoutes('/healthz', { healthz: ping }, logger),
    ...probeRoutes('/readyz', readiness, logger),
  };
  return [
    metricsServer(options.metricsPort, { routes: metricsRoutes, clock, logger }),
    probeServer(options.healthProbePort, { routes: probes, clock, logger }),
    nodeMetrics(metrics),
    ...(profiler ? [profiler] : []),
  ];
}

async function checkKinds(client: Client): Promise<void> {
  for (const type of [NODE_POOLS, NODE_CLAIMS]) {
    if (await client.serves(type)) continue;
    throw new Error(`no matches for kind "${type.kind}" in version "${apiVersionOf(type)}"`);
  }
}

function checkCaches(haveSynced: boolean): void {
  if (!haveSynced) throw new Error('failed to sync caches');
}

/** Measures the event loop and the garbage collector as long as the process runs. */
function nodeMetrics(metrics: Metrics): Runnable {
  return {
    start: (signal) => {
      collectNodeMetrics(metrics, signal);
      return atTheEnd(() => undefined).start(signal);
    },
  };
}
