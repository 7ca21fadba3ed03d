/** What of the process signals need. */
export interface SignalSource {
  on(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
  off(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
  exit(code: number): void;
}

const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * Turns SIGTERM, SIGINT and SIGHUP (the terminal was closed) into an AbortSignal, so that the process can end in good
 * order. The second of them ends it at once. `dispose` gives the signals their usual meaning back.
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
