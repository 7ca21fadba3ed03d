import type { Clock } from '../clock.ts';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from './transport.ts';

/**
 * An API server as a function. It resolves when the response header is known, and writes the body afterwards. It must
 * not sleep on the clock before it resolves, because a virtual clock stands still until then.
 */
export type RequestHandler = (request: TransportRequest, signal: AbortSignal) => Promise<TransportResponse>;

/**
 * Passes requests to a server in the same process. A request counts as runnable work until its response header is
 * known, so that a virtual clock does not advance meanwhile.
 */
export function inProcessTransport(handler: RequestHandler, clock: Clock): Transport {
  const closed = new AbortController();
  return {
    answersAtOnce: true,
    send(request, signal) {
      const { method, beforeSend } = request;
      try {
        signal?.throwIfAborted();
        if (closed.signal.aborted) throw new ConnectionError('transport is closed');
        beforeSend?.();
      } catch (error) {
        return Promise.reject(error);
      }
      const mayGoOn = method === 'GET'; // a watch, which continues after its head and must end with the transport
      const ends =
        signal !== undefined && mayGoOn ? AbortSignal.any([signal, closed.signal]) : (signal ?? closed.signal);
      return clock.track(handler(request, ends));
    },
    close: () => closed.abort(new ConnectionError('transport is closed')),
  };
}
