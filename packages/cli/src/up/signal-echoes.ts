import { SECOND, type SignalSource, type SteadyClock } from '@karpenter-ts/runtime';

const ECHO = 0.5 * SECOND;

/**
 * The source without signals that come right behind their like. Ctrl-C reaches us from the terminal, from npm and from
 * the launcher that both ran us and pass on what they get: that is still one Ctrl-C, and must not count as the second
 * that ends everything at once.
 */
export function withoutEchoes(source: SignalSource, clock: SteadyClock): SignalSource {
  type Listener = Parameters<SignalSource['on']>[1];
  const filtered = new Map<Listener, Listener>();
  let last = Number.NEGATIVE_INFINITY;
  const filter = (listener: Listener): Listener => {
    const known = filtered.get(listener);
    if (known !== undefined) return known;
    const once: Listener = (name) => {
      const isEcho = clock.elapsed() - last < ECHO;
      if (isEcho) return;
      last = clock.elapsed();
      listener(name);
    };
    filtered.set(listener, once);
    return once;
  };
  return {
    on: (name, listener) => source.on(name, filter(listener)),
    off: (name, listener) => source.off(name, filter(listener)),
    exit: (code) => source.exit(code),
  };
}
