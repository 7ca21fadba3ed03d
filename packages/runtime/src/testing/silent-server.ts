import type { Transport, TransportRequest, TransportResponse } from '../client/transport.ts';

/**
 * A transport to a server that can become unresponsive, as if its host had failed: requests are then accepted and not
 * answered until their signal aborts. Open watches stay open.
 */
export class SilenceableTransport implements Transport {
  /** Set to make the server unresponsive. */
  isSilent = false;
  /** Requests made while unresponsive, such as `PATCH /api/v1/nodes/a`. */
  readonly unanswered: string[] = [];
  readonly #server: Transport;
  #waiting: (() => void)[] = [];

  constructor(server: Transport) {
    this.#server = server;
  }

  send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    if (!this.isSilent) return this.#server.send(request, signal);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      request.beforeSend?.();
      this.unanswered.push(`${request.method} ${request.path}`);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      // `beforeSend` was called when the request was made.
      this.#waiting.push(() => resolve(this.#server.send({ ...request, beforeSend: () => undefined }, signal)));
    });
  }

  /** Makes the server responsive again, and answers the waiting requests. */
  answer(): void {
    this.isSilent = false;
    for (const answer of this.#waiting.splice(0)) answer();
  }

  close(): void {
    this.#server.close();
  }
}
