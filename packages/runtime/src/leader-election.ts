import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from './client/client.ts';
import { startDeadline } from './client/deadline.ts';
import { type LeaseSpec, microTimestamp, type ObjectRef } from '@karpenter-ts/kubernetes';
import { ConnectionError } from './client/transport.ts';
import { SECOND } from './clock.ts';
import { LeaderFence } from './leader-fence.ts';
import { LeaseLock } from './lease.ts';
import type { Logger } from './logger.ts';
import { defineCounter, defineGauge } from './metrics/definition.ts';
import type { Metrics } from './metrics/registry.ts';
import type { SteadyClock } from './steady-clock.ts';
import { Stopwatch } from './stopwatch.ts';

const masterStatus = defineGauge(
  'leader_election_master_status',
  ['name'],
  'Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. ' +
    "'name' is the string used to identify the lease. Please make sure to group by name.",
);
const slowPath = defineCounter(
  'leader_election_slowpath_total',
  ['name'],
  "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify the lease. " +
    'Please make sure to group by name.',
);

/** The timings of a lease, in milliseconds (spec 05 §2.3). */
export interface LeaseTimings {
  /** How long other candidates wait after the last renewal they saw before they take the lease. Whole seconds. */
  readonly leaseDuration: number;
  /** How long a leader continues after sending its last successful renewal. */
  readonly renewDeadline: number;
  /** The time between two tries. A candidate that waits for the lease adds random jitter of up to 1.2 times as much. */
  readonly retryPeriod: number;
}

export const LEASE_TIMINGS: LeaseTimings = {
  leaseDuration: 15 * SECOND,
  renewDeadline: 10 * SECOND,
  retryPeriod: 2 * SECOND,
};

const JITTER_FACTOR = 1.2;
/**
 * The process is ending, and an unresponsive server must not delay that. Without a release, the lease expires by
 * itself.
 */
const RELEASE_TIMEOUT = 2 * SECOND;

export interface LeaderElectionOptions {
  /** Namespace and name of the Lease. */
  readonly lease: ObjectRef & { readonly namespace: string };
  /** Unique among all candidates, including earlier runs of the same process: see `newIdentity`. */
  readonly identity: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly timings?: LeaseTimings;
  /** A separate client, without rate limits and without the fence, so that reconciling cannot delay renewals. */
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Source of jitter, in [0, 1); Math.random by default. */
  readonly random?: () => number;
  /** Publishes an event about the Lease, with reason `LeaderElection`. */
  readonly publish?: (message: string) => void;
}

/** Another process leads, or the lease could not be renewed by the deadline. This process must stop. */
export class LeaderElectionLostError extends Error {
  override readonly name = 'LeaderElectionLostError';

  constructor(options: ErrorOptions) {
    super('leader election lost', options);
  }
}

/** `<hostname>_<uuid>`, as upstream. */
export function newIdentity(): string {
  return `${hostname()}_${randomUUID()}`;
}

/** The outcome of one try. */
type Attempt =
  | { readonly outcome: 'held' }
  | { readonly outcome: 'taken'; readonly holder: string }
  | { readonly outcome: 'failed'; readonly error: unknown };

/**
 * Competes for a Lease. It relies on durations measured by this process only, and never compares clocks with other
 * hosts. One term consists of `acquire`, then `hold` while leading, then `release` once nothing writes any more.
 */
export class LeaderElector {
  /** Open while this process is certain to lead. */
  readonly fence: LeaderFence;
  readonly #options: LeaderElectionOptions;
  readonly #timings: LeaseTimings;
  readonly #lock: LeaseLock;
  readonly #logger: Logger;
  #isLeading = false;
  /** The Lease as last read or written, and the time since its content last changed. */
  #observed: { readonly spec: LeaseSpec; readonly since: Stopwatch } | undefined;

  /** Throws if the timings are not safe. */
  constructor(options: LeaderElectionOptions) {
    const { client, lease, labels, timings = LEASE_TIMINGS } = options;
    checkTimings(timings);
    if (lease.name === '') throw new Error('LeaderElectionID must be configured');
    this.#options = options;
    this.#timings = timings;
    this.fence = new LeaderFence(timings.renewDeadline);
    this.#lock = new LeaseLock({ client, ref: lease, labels, timeout: timings.renewDeadline / 2 });
    this.#logger = options.logger.with({ lock: `${lease.namespace}/${lease.name}` });
    options.metrics.set(masterStatus, { name: lease.name }, 0);
    options.metrics.increment(slowPath, { name: lease.name }, 0);
  }

  /** Resolves when this process holds the lease. Rejects with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<void> {
    const { random = Math.random } = this.#options;
    if (this.fence.isClosed) throw new Error('a LeaderElector serves one term');
    this.#logger.info('Attempting to acquire leader lease...');
    for (;;) {
      const { outcome } = await this.#attempt(signal);
      if (outcome === 'held' && this.fence.remaining > 0) break;
      signal.throwIfAborted();
      if (outcome === 'held') continue; // the answer took too long: renew before anything is written
      await this.#options.clock.sleep(this.#timings.retryPeriod * (1 + JITTER_FACTOR * random()), signal);
    }
    this.#setLeading(true);
    this.#logger.info('Successfully acquired lease');
  }

  /**
   * Renews the lease until aborted, then resolves while still leading. If another process holds the lease, or it could
   * not be renewed in time, closes the fence and rejects with LeaderElectionLostError.
   */
  async hold(signal: AbortSignal): Promise<void> {
    while (await this.#pause(this.#timings.retryPeriod, signal)) await this.#renew(signal);
  }

  /**
   * Releases the lease if this process holds it, so that another can lead at once. To be called when nothing writes any
   * more, also after an aborted `acquire`, because its last request may have taken the lease. The lease is not released
   * while a write may still take effect; it then expires by itself.
   */
  async release(): Promise<void> {
    this.#setLeading(false);
    const { identity, clock } = this.#options;
    if (!(await this.fence.waitForWrites())) {
      this.#logger.info('leaving the lease to expire: a write was given up before its answer');
      return;
    }
    const deadline = startDeadline(clock, RELEASE_TIMEOUT, undefined);
    try {
      const spec = await this.#lock.find(deadline.signal);
      if (spec?.holderIdentity !== identity) return;
      const now = microTimestamp(clock.now());
      const released = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
      await this.#lock.update(released, deadline.signal);
    } catch (error) {
      this.#logger.error('Failed to release lease', error);
    } finally {
      deadline.end();
    }
  }

  /**
   * Retries until the lease is renewed, or throws. The first try is made even after the deadline, for example when the
   * process was suspended: the server knows whether the lease was held all along.
   */
  async #renew(signal: AbortSignal): Promise<void> {
    for (;;) {
      const attempt = await this.#attempt(signal);
      if (attempt.outcome === 'held' && this.fence.remaining > 0) return;
      if (attempt.outcome === 'taken') throw this.#lost(new Error(`the lease is held by "${attempt.holder}"`));
      if (attempt.outcome === 'held') continue;
      const isPaused = await this.#pause(Math.min(this.#timings.retryPeriod, this.fence.remaining), signal);
      if (!isPaused) return;
      if (this.fence.remaining === 0) throw this.#lost(attempt.error);
    }
  }

  #lost(cause: unknown): LeaderElectionLostError {
    this.#setLeading(false);
    return new LeaderElectionLostError({ cause });
  }

  /** One try, within the remaining time. */
  async #attempt(signal?: AbortSignal): Promise<Attempt> {
    const deadline = startDeadline(this.#options.clock, this.fence.remaining || this.#timings.renewDeadline, signal);
    try {
      return (await this.#renewOptimistically(deadline.signal)) ?? (await this.#acquireOrRenew(deadline.signal));
    } catch (error) {
      return { outcome: 'failed', error };
    } finally {
      deadline.end();
    }
  }

  /**
   * Renews with a single request, assuming that nobody else has written. Returns undefined if the Lease must be read
   * first.
   */
  async #renewOptimistically(signal: AbortSignal): Promise<Attempt | undefined> {
    const { identity, lease, metrics } = this.#options;
    if (this.#observed?.spec.holderIdentity !== identity) return undefined;
    try {
      return await this.#write('update', this.#observed.spec, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#logger.error('Failed to update lease optimistically, falling back to slow path', error);
      metrics.increment(slowPath, { name: lease.name });
      return undefined;
    }
  }

  async #acquireOrRenew(signal: AbortSignal): Promise<Attempt> {
    const found = await this.#logFailure('Error retrieving lease lock', this.#lock.find(signal), signal);
    if (found === undefined) {
      return this.#logFailure('Error initially creating lease lock', this.#write('create', {}, signal), signal);
    }
    this.#observe(found);
    const { holderIdentity: holder = '', leaseTransitions = 0 } = found;
    const isOurs = holder === this.#options.identity;
    // A former leader must not continue after another process has led, even if that term is over.
    if (!isOurs && (this.#isLeading || (holder !== '' && !this.#isExpired()))) return { outcome: 'taken', holder };
    const kept = isOurs ? found : { leaseTransitions: leaseTransitions + 1 };
    return this.#logFailure('Failed to update lease', this.#write('update', kept, signal), signal);
  }

  /** Logs a failure in upstream's words, unless the caller aborted. Time-outs arrive as ConnectionErrors. */
  async #logFailure<T>(failure: string, work: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const isCancelled = signal.aborted && !(signal.reason instanceof ConnectionError);
      if (!isCancelled) this.#logger.error(failure, error);
      throw error;
    }
  }

  /**
   * Writes this process as the holder. Acquire time and transition count are kept if it already holds the lease. The
   * fence counts from before the request is sent, because the server may have set the renew time at any moment after
   * that.
   */
  async #write(
    how: 'create' | 'update',
    { acquireTime, leaseTransitions = 0 }: Pick<LeaseSpec, 'acquireTime' | 'leaseTransitions'>,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { clock, identity } = this.#options;
    const sent = new Stopwatch(clock);
    const now = microTimestamp(clock.now());
    const spec: LeaseSpec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#timings.leaseDuration / SECOND),
      acquireTime: acquireTime ?? now,
      renewTime: now,
      leaseTransitions,
    };
    await this.#lock[how](spec, signal);
    this.#observed = { spec, since: sent };
    this.fence.open(sent);
    return { outcome: 'held' };
  }

  /** Records the Lease. Any change by the holder shows that it is alive, so the time until expiry starts anew. */
  #observe(spec: LeaseSpec): void {
    if (this.#observed !== undefined && isDeepStrictEqual(spec, this.#observed.spec)) return;
    this.#observed = { spec, since: new Stopwatch(this.#options.clock) };
  }

  #isExpired(): boolean {
    const { spec, since } = this.#observed!;
    return since.atLeast() >= (spec.leaseDurationSeconds ?? 0) * SECOND;
  }

  /** False if the signal aborts first. */
  async #pause(delay: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.clock.sleep(delay, signal);
      return true;
    } catch {
      return false;
    }
  }

  #setLeading(isLeading: boolean): void {
    const { identity, lease, metrics, publish } = this.#options;
    if (!isLeading) this.fence.close();
    if (isLeading === this.#isLeading) return;
    this.#isLeading = isLeading;
    metrics.set(masterStatus, { name: lease.name }, isLeading ? 1 : 0);
    publish?.(`${identity} ${isLeading ? 'became leader' : 'stopped leading'}`);
  }
}

function checkTimings({ leaseDuration, renewDeadline, retryPeriod }: LeaseTimings): void {
  if (leaseDuration <= renewDeadline) throw new Error('leaseDuration must be greater than renewDeadline');
  if (renewDeadline <= JITTER_FACTOR * retryPeriod) {
    throw new Error('renewDeadline must be greater than retryPeriod*JitterFactor');
  }
  if (retryPeriod < 1) throw new Error('retryPeriod must be greater than zero');
}
