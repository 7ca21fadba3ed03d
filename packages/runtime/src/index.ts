// What any controller stands on. What is not here is private; builders for tests are in ./testing.

// Time
export { type Cancel, type Clock, HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from './clock.ts';
export { realClock } from './real-clock.ts';
export { scaledClock } from './scaled-clock.ts';
export type { CancellableClock, SteadyClock } from './steady-clock.ts';
export { Ulids } from './ulid.ts';
export { unlessAborted } from './unless-aborted.ts';
export { VirtualClock } from './virtual-clock.ts';
export { withGrace } from './with-grace.ts';

// The Kubernetes API
export type { CallerOptions, RequestObserver } from './client/caller.ts';
export type { CancellableClient } from './client/cancellable-client.ts';
export {
  Client,
  type DeleteOptions,
  type ListOptions,
  type Page,
  type Patch,
  type ReadOptions,
  type Selectors,
  userAgent,
  type WatchOptions,
  type WriteOptions,
} from './client/client.ts';
export { type Connection, ConnectionConfigError, type Identity, type Pem } from './client/connection.ts';
export { findConnection, type DiscoveryOptions } from './client/connection-discovery.ts';
export { HttpsTransport, type HttpsTransportOptions } from './client/https-transport.ts';
export { findInClusterNamespace } from './client/in-cluster.ts';
export { inProcessTransport, type RequestHandler } from './client/in-process-transport.ts';
export { notFoundText } from './client/not-found-text.ts';
export { findEnvironmentProxy, proxyAuthorization } from './client/proxy.ts';
export { RateLimits, type RateLimitSettings } from './client/rate-limit.ts';
export { requestMetrics } from './client/request-metrics.ts';
export { ServerAgent } from './client/server-agent.ts';
export {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  type Status,
  type StatusCause,
  StatusError,
} from './client/status-error.ts';
export {
  ConnectionError,
  type RawEvent,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  WholeBody,
} from './client/transport.ts';
export type { WatchEvent } from './client/watch-stream.ts';
export { unlessGone } from './client/unless-gone.ts';

// Caches of it
export type { Handler } from './informer/handlers.ts';
export type { Indexer } from './informer/indexes.ts';
export { FilledCache } from './informer/filled-cache.ts';
export { Informer, type InformerOptions } from './informer/informer.ts';
export type { ObjectCache } from './informer/object-cache.ts';
export type { StoreOptions } from './informer/store.ts';
export { canonicalJson } from './informer/sharing.ts';
export { dropManagedFields, keepFields, type Selection, type Transform } from './informer/transform.ts';

// Controllers
export { type Cache, type Controller, DONE, RETRY, type Result, type Source, TerminalError } from './controller.ts';
export { type ControllerDeps, ControllerRunner } from './controller-runner.ts';
export { type Change, type KindSourceOptions, kindSource } from './kind-source.ts';
export { BackOff, type BackOffSettings } from './queue/back-off.ts';
export { scaleBucket, scaleConcurrency } from './queue/concurrency.ts';
export {
  DEFAULT_RETRIES,
  type RateLimiter,
  REASONABLE_RETRIES,
  type RetryLimits,
  rateLimiter,
  SINGLETON_RETRIES,
} from './queue/rate-limiter.ts';
export { type BucketSettings, TokenBucket } from './queue/token-bucket.ts';
export { type Enqueuer, LOW_PRIORITY, NORMAL_PRIORITY, type QueueItem, WorkQueue } from './queue/work-queue.ts';
export { singleton } from './singleton.ts';
export { soonest } from './soonest.ts';

// Errors, and several things at once
export { findCause } from './cause.ts';
export { combineErrors } from './combined-error.ts';
export { ExpiringMap } from './expiring-map.ts';
export { runParallel } from './parallel.ts';

// The process
export { type HttpHandler, HttpServer, metricsServer, probeServer, type Routes } from './http-server.ts';
export {
  LEASE_TIMINGS,
  LeaderElectionLostError,
  type LeaderElectionOptions,
  LeaderElector,
  type LeaseTimings,
  newIdentity,
} from './leader-election.ts';
export { LeaderFence, NotLeaderError } from './leader-fence.ts';
export { LeaseLock, leaseNamespace } from './lease.ts';
export { Manager, type ManagerOptions } from './manager.ts';
export { type Check, type Checks, ping, probeRoutes } from './probes.ts';
export { profileRoutes } from './profiling/profile-routes.ts';
export { Profiler } from './profiling/profiler.ts';
export { type ProcessEvents, runToExit } from './run-to-exit.ts';
export type { Runnable } from './runnable-group.ts';
export { listenForStop, type SignalSource } from './signals.ts';

// Options
export { featureGates, type Gates } from './options/feature-gates.ts';
export { parseFloatLiteral } from './options/go-literals.ts';
export { defaultsOf, type Option, type OptionRows, option, type Parsed } from './options/option.ts';
export {
  bool,
  float,
  goDuration,
  int,
  list,
  mapType,
  type OptionType,
  oneOf,
  type ParseResult,
  same,
  text,
} from './options/option-type.ts';
export {
  type Environment,
  type OptionGroup,
  type OptionGroups,
  type ParsedGroups,
  type ParsedOptions,
  parseOptions,
} from './options/parse-options.ts';

// What operators see
export { clientSink } from './events/client-sink.ts';
export { subjectOf } from './events/event-subject.ts';
export type { CoreEvent, EventDraft, EventLimit, EventSubject } from './events/event.ts';
export { type EventRecorder, type EventSink, QueuedRecorder, type RecorderDeps } from './events/recorder.ts';
export {
  createLogger,
  type Logger,
  type LoggerSettings,
  nullLogger,
  type RootLogger,
  withCommit,
} from './logger.ts';
export { ChangeMonitor } from './logging/change-monitor.ts';
export { hasColors } from './logging/console-line.ts';
export { errorText } from './logging/error-text.ts';
export type { Fields, Level } from './logging/log-entry.ts';
export { openSinks } from './logging/sinks.ts';
export { StructuredError } from './logging/structured-error.ts';
export { durationText, LoggedRef, nameList } from './logging/value-text.ts';
export {
  DEFAULT_BUCKETS,
  DURATION_BUCKETS,
  exponentialBuckets,
  STATUS_BUCKETS,
  SUMMARY_QUANTILES,
} from './metrics/buckets.ts';
export { publishBuildInfo } from './metrics/build-info.ts';
export {
  type CounterDefinition,
  defineCounter,
  defineGauge,
  defineHistogram,
  defineSummary,
  type GaugeDefinition,
  type HistogramDefinition,
  type SummaryDefinition,
} from './metrics/definition.ts';
export { serveMetrics } from './metrics/endpoint.ts';
export type { Labels } from './metrics/labels.ts';
export { collectNodeMetrics } from './metrics/node-metrics.ts';
export { collectProcessMetrics } from './metrics/process-metrics.ts';
export { type LiveSample, Metrics } from './metrics/registry.ts';
export { type GaugeSample, gaugeSample, SeriesSets } from './metrics/series-sets.ts';
export { snakeCase } from './metrics/snake-case.ts';
export { mergePatchOf } from './writes/merge-patch.ts';
export { patchStatus } from './writes/status-patch.ts';
