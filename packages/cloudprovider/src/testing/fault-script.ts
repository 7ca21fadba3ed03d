import type { Clock } from '@karpenter-ts/runtime';
import type { Fault } from './fault.ts';

/** Decides which fault applies to a call: a queued fault applies to one call, a lasting fault to all others. */
export class FaultScript<Method extends string> {
  readonly #clock: Clock;
  readonly #queued = new Map<Method, Fault[]>();
  readonly #lasting = new Map<Method, Fault>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  queue(method: Method, faults: readonly Fault[]): void {
    this.#queued.set(method, [...(this.#queued.get(method) ?? []), ...faults]);
  }

  /** `undefined` lifts it. */
  setLasting(method: Method, fault: Fault | undefined): void {
    if (fault === undefined) this.#lasting.delete(method);
    else this.#lasting.set(method, fault);
  }

  /** Runs the call, as far as the fault that applies to it allows. */
  async run<T>(method: Method, work: () => T, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const fault = this.#queued.get(method)?.shift() ?? this.#lasting.get(method);
    switch (fault?.kind) {
      case undefined:
        return work();
      case 'Refusal':
        throw fault.error;
      case 'LostAnswer':
        work();
        throw fault.error;
      case 'Garbage':
        work();
        return fault.answer as T;
      case 'Delay':
        await this.#clock.sleep(fault.delay, signal);
        return work();
      default:
        return fault satisfies never;
    }
  }
}
