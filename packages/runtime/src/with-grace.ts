import type { Clock } from './clock.ts';

/**
 * Does work that must be finished although the process is stopping: the signal passed to `work` aborts only `grace`
 * milliseconds after `signal`, even if `signal` is aborted already.
 */
export async function withGrace<T>(
  clock: Pick<Clock, 'after'>,
  grace: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  let cancel = (): void => undefined;
  const follow = (): void => {
    cancel = clock.after(grace, () => late.abort(signal.reason));
  };
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  try {
    return await work(late.signal);
  } finally {
    cancel();
    signal.removeEventListener('abort', follow);
  }
}
