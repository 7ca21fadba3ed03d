import type { Clock } from './clock.ts';

/**
 * Does what must not be left undone although the process is to stop: the signal that `work` gets is aborted only `grace`
 * milliseconds after `signal`, be that aborted already.
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
