import { type Clock, SECOND } from '../clock.ts';
import { ConnectionError } from './transport.ts';

/** A signal that combines the caller's signal and a timer. `end` must be called, or both are leaked. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Starts the timer anew. */
  extend(timeout: number): void;
  /** From now on, an abort by the caller takes effect only after `grace` milliseconds. */
  spare(grace: number): void;
  end(): void;
}

/** Aborts with a ConnectionError after `timeout` milliseconds, or with the caller's reason if that comes first. */
export function startDeadline(clock: Clock, timeout: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let grace = 0;
  let cancelGrace = (): void => undefined;
  const follow = (): void => {
    const abort = (): void => controller.abort(caller?.reason);
    if (grace === 0) abort();
    else cancelGrace = clock.after(grace, abort);
  };
  const start = (milliseconds: number) =>
    clock.after(milliseconds, () =>
      controller.abort(new ConnectionError(`no answer from the API server within ${milliseconds / SECOND}s`)),
    );
  let cancel = start(timeout);
  if (caller?.aborted) follow();
  else caller?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    extend(milliseconds) {
      cancel();
      cancel = start(milliseconds);
    },
    spare(milliseconds) {
      grace = milliseconds;
    },
    end() {
      cancel();
      cancelGrace();
      caller?.removeEventListener('abort', follow);
    },
  };
}
