/**
 * Aborts at the first Ctrl-C, SIGTERM or closed terminal, so that a command can put away what it started. The second
 * one ends the process at once.
 */
export function interruptSignal(): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupt.abort());
  return interrupt.signal;
}
