import { LeaderElectionLostError } from './leader-election.ts';
import type { Logger } from './logger.ts';
import { panicText } from './panic.ts';
import type { Runnable } from './runnable-group.ts';
import { listenForStop, type SignalSource } from './signals.ts';

/** What of the process a run needs. */
export interface ProcessEvents extends SignalSource {
  on(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
  on(name: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  off(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
  off(name: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

/**
 * Runs a manager until a signal or a failure ends it, and returns the exit code: 0 after a stop in good order, else 1
 * and one ERROR line. The caller must then really exit: what failed to stop would keep the process alive. A failed
 * promise that someone forgot is logged and hurts nobody.
 */
export async function runToExit(manager: Runnable, logger: Logger, source: ProcessEvents): Promise<number> {
  const stop = listenForStop(source);
  const onForgotten = (reason: unknown): void => {
    const stacktrace = reason instanceof Error ? reason.stack : undefined;
    logger.error('Observed a panic', undefined, { panic: panicText(reason), ...(stacktrace && { stacktrace }) });
  };
  source.on('unhandledRejection', onForgotten);
  try {
    await manager.start(stop.signal);
    return 0;
  } catch (error) {
    if (error instanceof LeaderElectionLostError) logger.error(error.message, error.cause);
    else logger.error('problem running manager', error);
    return 1;
  } finally {
    source.off('unhandledRejection', onForgotten);
    stop.dispose();
  }
}
