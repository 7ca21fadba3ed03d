import { MINUTE, SECOND } from './clock.ts';
import type { Cache, Controller, Source } from './controller.ts';
import { ControllerRunner } from './controller-runner.ts';
import { LeaderElectionLostError, type LeaderElector } from './leader-election.ts';
import type { Logger } from './logger.ts';
import { errorText } from './logging/error-text.ts';
import type { Metrics } from './metrics/registry.ts';
import { type Runnable, RunnableGroup } from './runnable-group.ts';
import type { SteadyClock } from './steady-clock.ts';

export interface ManagerOptions {
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Source of jitter, in [0, 1); Math.random by default. */
  readonly random?: () => number;
  /** HTTP servers. They start first and stop last, so that probes are answered all the time. */
  readonly servers?: readonly Runnable[];
  /** Caches that run on all replicas. A cache that only a controller's source reads starts with that controller. */
  readonly caches?: readonly Cache[];
  /** Runs on all replicas once the caches have synced. */
  readonly background?: readonly Runnable[];
  /** Runs on the leader only. */
  readonly controllers?: readonly Controller<never>[];
  /** Without an election, this process leads at once. */
  readonly election?: LeaderElector;
  /** Whether to start the controllers' caches before the lease is acquired. No effect without an election. */
  readonly warmUp?: boolean;
  /** The event recorder, which runs from first to last and is flushed after everything else has stopped. */
  readonly events?: Runnable & { flush(timeout: number): Promise<void> };
}

/**
 * The process ends if its caches have not synced by then, for example because a CRD or an RBAC rule is missing (spec 05
 * §3.1).
 */
const SYNC_TIMEOUT = 2 * MINUTE;
const SYNC_CHECK = 100; // as in client-go
/** The time in which everything must stop (spec 05 §2.6). */
const GRACE = 30 * SECOND;
const FLUSH_TIMEOUT = 5 * SECOND;

/**
 * Starts the parts of the process in order and stops them in order.
 *
 * Start: servers, caches (which must sync), background, warm-up, leader election, controllers. Stop: background,
 * controllers, release of the lease, caches, servers: parts that do not write must not delay the next leader. The
 * failure of a part stops all. After a lost lease the process ends without waiting for anything; the fence keeps what
 * still runs from writing.
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #failure = Promise.withResolvers<never>();
  readonly #stopping = new AbortController();
  readonly #releasing = new AbortController();
  readonly #startedCaches = new Set<Cache>();
  readonly #events = this.#group();
  readonly #servers = this.#group();
  readonly #caches = this.#group();
  readonly #background = this.#group();
  readonly #controllers = this.#group();
  #holding: Promise<void> | undefined;
  #isStarted = false;

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  /** Whether all caches started so far have synced, for the readiness check. False before `start`. */
  get hasSynced(): boolean {
    return this.#isStarted && [...this.#startedCaches].every((cache) => cache.hasSynced);
  }

  /**
   * Runs everything until aborted, and resolves when all has stopped and the lease is released. Rejects with the
   * failure of a part, with LeaderElectionLostError, or if stopping took longer than the grace period.
   */
  async start(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const starting = this.#startAll();
    const failures: unknown[] = [];
    await Promise.race([stopped, this.#failure.promise, starting.then(() => stopped)]).catch((error: unknown) =>
      failures.push(error),
    );
    this.#stopping.abort();
    if (failures[0] instanceof LeaderElectionLostError) {
      for (const group of [this.#background, this.#controllers, this.#caches, this.#servers]) void group.stop();
    } else {
      await this.#stop(starting).catch((error: unknown) => failures.push(error));
      await this.#options.events?.flush(FLUSH_TIMEOUT);
    }
    void this.#events.stop();
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join(', '));
  }

  async #startAll(): Promise<void> {
    const { events, servers = [], caches = [], background = [], controllers = [], election, warmUp } = this.#options;
    const { signal } = this.#stopping;
    this.#isStarted = true;
    if (events !== undefined) this.#events.run(events);
    for (const server of servers) this.#servers.run(server);
    await this.#syncAll(caches);
    for (const runnable of background) this.#background.run(runnable);
    const runners = controllers.map((controller) => this.#runnerOf(controller));
    if (election !== undefined) {
      if (warmUp) await Promise.all(runners.map((runner) => runner.warmUp()));
      await election.acquire(signal);
      this.#holding = election.hold(this.#releasing.signal).catch((error: unknown) => this.#fail(error));
    }
    for (const runner of runners) this.#controllers.run(runner);
  }

  #runnerOf(controller: Controller<never>): ControllerRunner<never> {
    const { clock, logger, metrics, random } = this.#options;
    return new ControllerRunner(controller, {
      clock,
      logger,
      metrics,
      ...(random && { random }),
      syncSource: (source, name, sourceLogger) => this.#syncSource(source, name, sourceLogger),
    });
  }

  async #syncSource({ name, watched }: Source<never>, controller: string, logger: Logger): Promise<void> {
    if (watched === undefined) return;
    const { kind, cache } = watched;
    try {
      await this.#inTime((signal) => this.#sync(cache, signal));
    } catch {
      if (this.#stopping.signal.aborted || cache.hasSynced) return;
      const error = new Error(`failed to wait for ${controller} caches to sync ${name}: ${lateText(kind, cache)}`);
      logger.error('Could not wait for Cache to sync', error);
      throw error;
    }
  }

  /**
   * Waits for the manager's own caches. Rejects with the names of all that have not synced, and their last failures.
   */
  async #syncAll(caches: readonly Cache[]): Promise<void> {
    try {
      await this.#inTime((signal) => Promise.all(caches.map((cache) => this.#sync(cache, signal))));
    } catch (cause) {
      if (this.#stopping.signal.aborted) throw cause;
      const late = caches.filter(({ hasSynced }) => !hasSynced);
      if (late.length === 0) return;
      const reasons = late.map((cache) => lateText(cache.kind ?? '', cache));
      throw new Error(`failed to wait for caches to sync: ${reasons.join('; ')}`, { cause });
    }
  }

  /** Rejects if the caches have not synced in time, or the process is stopping. */
  async #inTime(sync: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const timer = new AbortController();
    const cancel = this.#options.clock.after(SYNC_TIMEOUT, () => timer.abort(new Error('timed out')));
    try {
      await sync(AbortSignal.any([timer.signal, this.#stopping.signal]));
    } finally {
      cancel();
    }
  }

  /** Starts the cache unless it is running, and resolves when it has synced. */
  async #sync(cache: Cache, signal: AbortSignal): Promise<void> {
    if (!this.#startedCaches.has(cache)) {
      this.#startedCaches.add(cache);
      this.#caches.run(cache);
    }
    while (!cache.hasSynced) await this.#options.clock.sleep(SYNC_CHECK, signal);
  }

  async #stop(starting: Promise<void>): Promise<void> {
    const { clock, election } = this.#options;
    const grace = new AbortController();
    const late = clock.sleep(GRACE, grace.signal).then(() => {
      throw new Error(`failed waiting for all runnables to end within grace period of ${GRACE / SECOND}s`);
    });
    try {
      await Promise.race([this.#stopInOrder(starting), late]);
    } catch (error) {
      // A controller that has not stopped may still write, so the lease is not released but expires. The fence lets
      // no further write start.
      this.#releasing.abort();
      election?.fence.close();
      throw error;
    } finally {
      grace.abort();
      await late.catch(() => undefined);
    }
  }

  async #stopInOrder(starting: Promise<void>): Promise<void> {
    const { logger } = this.#options;
    logger.info('Stopping and waiting for non leader election runnables');
    await this.#background.stop();
    logger.info('Stopping and waiting for leader election runnables');
    await this.#controllers.stop();
    await this.#release(starting);
    logger.info('Stopping and waiting for caches');
    await this.#caches.stop();
    logger.info('Stopping and waiting for HTTP servers');
    await this.#servers.stop();
    logger.info('Wait completed, proceeding to shutdown the manager');
  }

  /** Releases the lease, also if it was acquired while the start was being aborted. */
  async #release(starting: Promise<void>): Promise<void> {
    await Promise.allSettled([starting]);
    this.#releasing.abort();
    await this.#holding;
    await this.#options.election?.release();
  }

  #group(): RunnableGroup {
    return new RunnableGroup((error) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (this.#stopping.signal.aborted)
      this.#options.logger.error('error received after stop sequence was engaged', error);
    else this.#failure.reject(error);
  }
}

/** Upstream's words, followed by the last failure, which tells the missing CRD or RBAC rule. */
function lateText(kind: string, { lastFailure }: Cache): string {
  const late = `timed out waiting for cache to be synced for Kind ${kind}`;
  return lastFailure === undefined ? late : `${late}: ${errorText(lastFailure)}`;
}
