/** The parts of `process` that signals need. */
export interface SignalSource {
  on(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
  off(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
  exit(code: number): void;
}

const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * Turns SIGTERM, SIGINT and SIGHUP (the terminal was closed) into an AbortSignal for an orderly stop. A second signal
 * ends the process at once. `dispose` restores the default behaviour.
 */
export function listenForStop(source: SignalSource): { readonly signal: AbortSignal; dispose(): void } {
  const stop = new AbortController();
  const listener = (name: NodeJS.Signals): void => {
    if (stop.signal.aborted) source.exit(1);
    else stop.abort(new Error(`received ${name}`));
  };
  for (const name of STOP_SIGNALS) source.on(name, listener);
  return {
    signal: stop.signal,
    dispose: () => {
      for (const name of STOP_SIGNALS) source.off(name, listener);
    },
  };
}
