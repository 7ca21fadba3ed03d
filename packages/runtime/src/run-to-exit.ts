import { LeaderElectionLostError } from './leader-election.ts';
import type { Logger } from './logger.ts';
import { panicText } from './panic.ts';
import type { Runnable } from './runnable-group.ts';
import { listenForStop, type SignalSource } from './signals.ts';

/** The parts of `process` that `runToExit` uses. */
export interface ProcessEvents extends SignalSource {
  on(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
  on(name: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  off(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
  off(name: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

/**
 * Runs a manager until a signal or a failure ends it, and returns the exit code: 0 after an orderly stop, else 1 with
 * one ERROR line. The caller must then exit, because anything that did not stop would keep the process alive. An
 * unhandled rejection is logged and has no other effect.
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
