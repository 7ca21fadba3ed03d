import { defineGauge, gaugeSample, type Metrics, SECOND, SeriesSets, type SteadyClock } from '@karpenter-ts/runtime';
import type { Candidate } from '../candidates/candidate.ts';

const scanAge = defineGauge(
  'karpenter_ext_consolidation_scan_age_seconds',
  ['nodepool'],
  'Age of the oldest look that single-node consolidation took at a candidate of the nodepool. Labeled by nodepool.',
);

/** When single-node consolidation last looked at each candidate: whether it reaches all of them (spec 09 A3). */
export class ScanAges {
  readonly #clock: Pick<SteadyClock, 'elapsed'>;
  readonly #sets: SeriesSets;
  readonly #looks = new Map<string, number>(); // monotonic milliseconds, by provider id

  constructor({ clock, metrics }: { readonly clock: Pick<SteadyClock, 'elapsed'>; readonly metrics: Metrics }) {
    this.#clock = clock;
    this.#sets = new SeriesSets(metrics);
  }

  /** The candidate was looked at. */
  note({ stateNode }: Candidate): void {
    this.#looks.set(stateNode.providerId, this.#clock.elapsed());
  }

  /** These are all candidates of now. A new one is as old as this call. */
  follow(candidates: readonly Candidate[]): void {
    const now = this.#clock.elapsed();
    const oldest = new Map<string, number>();
    const known = new Set<string>();
    for (const { stateNode, pool } of candidates) {
      const { providerId } = stateNode;
      known.add(providerId);
      const at = this.#looks.get(providerId) ?? now;
      this.#looks.set(providerId, at);
      const { name } = pool.nodePool.metadata;
      oldest.set(name, Math.min(at, oldest.get(name) ?? now));
    }
    for (const providerId of this.#looks.keys()) if (!known.has(providerId)) this.#looks.delete(providerId);
    this.#sets.replaceAll(
      new Map(
        [...oldest].map(([nodepool, at]) => [nodepool, [gaugeSample(scanAge, { nodepool }, (now - at) / SECOND)]]),
      ),
    );
  }
}
