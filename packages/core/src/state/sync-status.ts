import { defineGauge, durationText, type Logger, type Metrics, SECOND, type SteadyClock } from '@karpenter-ts/runtime';

const synced = defineGauge(
  'karpenter_cluster_state_synced',
  [],
  'Returns 1 if cluster state is synced and 0 otherwise. Synced checks that nodeclaims and nodes that are stored in the ' +
    "APIServer have the same representation as Karpenter's cluster state",
);
const unsyncedSeconds = defineGauge(
  'karpenter_cluster_state_unsynced_time_seconds',
  [],
  'The time for which cluster state is not synced',
);

const LOG_AFTER = 30 * SECOND; // spec 02 §5.4
const LOG_EVERY = 10 * SECOND;

/** Reports whether the model is in sync, in metrics and, if it is out of sync for long, in the log. */
export class SyncStatus {
  readonly #deps: { readonly clock: SteadyClock; readonly logger: Logger; readonly metrics: Metrics };
  #unsyncedSince: number | undefined; // monotonic milliseconds, as the other
  #loggedAt = -Infinity;

  constructor(deps: { readonly clock: SteadyClock; readonly logger: Logger; readonly metrics: Metrics }) {
    this.#deps = deps;
  }

  /** To be called with the answer of every `hasSynced`. */
  note(isSynced: boolean): void {
    const { clock, metrics } = this.#deps;
    if (isSynced) {
      this.#unsyncedSince = undefined;
      this.#loggedAt = -Infinity;
    } else {
      this.#unsyncedSince ??= clock.elapsed();
      this.#logUnsynced(clock.elapsed() - this.#unsyncedSince);
    }
    metrics.set(synced, {}, isSynced ? 1 : 0);
    metrics.set(unsyncedSeconds, {}, (clock.elapsed() - (this.#unsyncedSince ?? clock.elapsed())) / SECOND);
  }

  #logUnsynced(duration: number): void {
    const { clock, logger } = this.#deps;
    if (duration <= LOG_AFTER || clock.elapsed() - this.#loggedAt <= LOG_EVERY) return;
    this.#loggedAt = clock.elapsed();
    const whole = Math.trunc(duration / SECOND) * SECOND;
    logger.error('cluster is waiting on sync for extended duration', new Error('waiting on cluster sync'), {
      duration: durationText(whole),
    });
  }
}
