import type { HeapProfiler, Profiler as Cpu } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import type { Runnable } from '../runnable-group.ts';
import { CPU_SAMPLE_MICROS, HEAP_SAMPLE_BYTES } from './v8-profiles.ts';

/** A profile of this type is already being taken. There can be only one at a time. */
export class ProfilerBusyError extends Error {
  override readonly name = 'ProfilerBusyError';
}

/** A parameter that Node's types leave out: whether to report objects that were collected. */
interface HeapSampling extends HeapProfiler.StartSamplingParameterType {
  readonly includeObjectsCollectedByMajorGC?: boolean;
  readonly includeObjectsCollectedByMinorGC?: boolean;
}

const WITH_GARBAGE: HeapSampling = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };

/**
 * Takes profiles of this process through V8's inspector. While it runs, allocations are sampled, one in 512 kB, so that
 * a heap profile is available at any time. Stopping ends the profiles under way.
 */
export class Profiler implements Runnable {
  readonly #session = new Session();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #busy = new Set<'cpu' | 'heap'>();

  async start(signal: AbortSignal): Promise<void> {
    this.#session.connect();
    await this.#sampleHeap({});
    if (signal.aborted) this.#stopped.resolve();
    else signal.addEventListener('abort', () => this.#stopped.resolve(), { once: true });
    await this.#stopped.promise;
    this.#session.disconnect();
  }

  /** What runs on the CPU until `whole` resolves. */
  cpu(whole: Promise<void>): Promise<Cpu.Profile> {
    return this.#exclusively('cpu', async () => {
      await this.#session.post('Profiler.enable');
      await this.#session.post('Profiler.setSamplingInterval', { interval: CPU_SAMPLE_MICROS });
      await this.#session.post('Profiler.start');
      await Promise.race([whole, this.#stopped.promise]);
      const { profile } = await this.#session.post('Profiler.stop');
      return profile;
    });
  }

  /** The memory in use now, out of what was allocated since the start or the last `allocations`. */
  heap(): Promise<HeapProfiler.SamplingHeapProfile> {
    return this.#exclusively('heap', async () => {
      await this.#session.post('HeapProfiler.collectGarbage');
      const { profile } = await this.#session.post('HeapProfiler.getSamplingProfile');
      return profile;
    });
  }

  /**
   * What is allocated until `whole` resolves, collected or not. V8 has only one sampling mode at a time, so `heap`
   * starts anew afterwards.
   */
  allocations(whole: Promise<void>): Promise<HeapProfiler.SamplingHeapProfile> {
    return this.#exclusively('heap', async () => {
      await this.#session.post('HeapProfiler.stopSampling');
      await this.#sampleHeap(WITH_GARBAGE);
      await Promise.race([whole, this.#stopped.promise]);
      const { profile } = await this.#session.post('HeapProfiler.stopSampling');
      await this.#sampleHeap({});
      return profile;
    });
  }

  async #sampleHeap(sampling: HeapSampling): Promise<void> {
    await this.#session.post('HeapProfiler.enable');
    await this.#session.post('HeapProfiler.startSampling', { samplingInterval: HEAP_SAMPLE_BYTES, ...sampling });
  }

  async #exclusively<T>(kind: 'cpu' | 'heap', work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(kind)) throw new ProfilerBusyError(`${kind} profiling already in use`);
    this.#busy.add(kind);
    try {
      return await work();
    } finally {
      this.#busy.delete(kind);
    }
  }
}
