import type { Transport, TransportRequest, TransportResponse } from '../client/transport.ts';

/**
 * The way to a server that can fall silent, as one does whose host is gone: from then on requests are taken and never
 * answered, until their signal ends them. Watches that are open stay so.
 */
export class SilenceableTransport implements Transport {
  /** Set to let the server fall silent. */
  isSilent = false;
  /** Requests that were made in silence, as `PATCH /api/v1/nodes/a`. */
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
      // The guard has been asked when the request was made.
      this.#waiting.push(() => resolve(this.#server.send({ ...request, beforeSend: () => undefined }, signal)));
    });
  }

  /** The server speaks again, and answers what it was asked meanwhile. */
  answer(): void {
    this.isSilent = false;
    for (const answer of this.#waiting.splice(0)) answer();
  }

  close(): void {
    this.#server.close();
  }
}
