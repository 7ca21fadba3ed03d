import type { Controller, Result } from './controller.ts';
import type { Logger } from './logger.ts';
import { SINGLETON_RETRIES } from './queue/rate-limiter.ts';

/** The one key of a singleton: it names no object, so logs show an empty name. */
const ONLY_KEY = '';

/**
 * A controller without sources: it runs once at the start, then whenever its last result asks for it. After returning
 * `DONE` it never runs again.
 */
export function singleton(
  name: string,
  reconcile: (signal: AbortSignal, logger: Logger) => Promise<Result>,
): Controller {
  return {
    name,
    retries: SINGLETON_RETRIES,
    sources: [{ name: 'singleton', attach: (queue) => queue.add(ONLY_KEY) }],
    reconcile: (_key, signal, logger) => reconcile(signal, logger),
  };
}
