import type { Clock } from '../clock.ts';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from './transport.ts';

/**
 * An API server as a function: it answers when the head is known and writes the body as it goes. It must not sleep on
 * the clock before it has answered, since the clock stands still until then.
 */
export type RequestHandler = (request: TransportRequest, signal: AbortSignal) => Promise<TransportResponse>;

/**
 * Hands requests to a server in the same process. Each counts as runnable work until its head is answered, so a virtual
 * clock does not run away from requests under way.
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
      const mayGoOn = method === 'GET'; // after its head: a watch, which must end with the transport
      const ends =
        signal !== undefined && mayGoOn ? AbortSignal.any([signal, closed.signal]) : (signal ?? closed.signal);
      return clock.track(handler(request, ends));
    },
    close: () => closed.abort(new ConnectionError('transport is closed')),
  };
}
