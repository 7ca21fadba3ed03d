import type { Clock } from './clock.ts';

/** `Clock.sleep` for any clock that can set a timer. */
export function sleepWith(clock: Pick<Clock, 'after'>, delay: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const wake = clock.after(delay, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    const abort = (): void => {
      wake();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}
