import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as openSecure } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { request as openPlain } from '../plain-http.ts';
import { ConnectionError, type TransportRequest, type TransportResponse } from './transport.ts';

/** Sends one request and resolves with the head of its answer. */
export function exchange(
  options: RequestOptions,
  request: TransportRequest,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const open = options.protocol === 'https:' ? openSecure : openPlain;
    const outgoing = open(signal === undefined ? options : { ...options, signal });
    outgoing.on('response', (incoming) => resolve(responseOf(incoming, signal)));
    outgoing.on('error', (cause) => reject(failureOf(cause, signal)));
    send(outgoing, request, reject);
  });
}

function send(outgoing: ClientRequest, { beforeSend, body }: TransportRequest, refuse: (error: unknown) => void): void {
  if (beforeSend === undefined) {
    outgoing.end(body);
    return;
  }
  outgoing.once('socket', (socket) => {
    whenReady(socket, () => {
      if (outgoing.destroyed) return;
      try {
        beforeSend();
        outgoing.end(body); // head and body are handed to the socket in this tick
      } catch (error) {
        refuse(error);
        outgoing.destroy();
      }
    });
  });
}

/** Calls back when a write would be sent immediately; at once if the connection was used before. */
function whenReady(socket: Socket, run: () => void): void {
  // Both are set when the TLS handshake is over. `getProtocol` answers earlier, so it cannot be used.
  const shakingHands = socket instanceof TLSSocket && !socket.authorized && !socket.authorizationError;
  if (shakingHands) socket.once('secureConnect', run);
  else if (socket.connecting) socket.once('connect', run);
  else run();
}

function responseOf(incoming: IncomingMessage, signal: AbortSignal | undefined): TransportResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return {
    status: incoming.statusCode ?? 0,
    headers,
    body: bodyOf(incoming, signal),
    discard: () => {
      incoming.on('error', () => {}); // nobody listens any more
      incoming.destroy();
    },
  };
}

async function* bodyOf(incoming: IncomingMessage, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  try {
    yield* incoming as AsyncIterable<Buffer>;
  } catch (cause) {
    throw failureOf(cause as Error, signal);
  }
}

function failureOf(cause: Error, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (cause instanceof ConnectionError) return cause;
  return new ConnectionError(`connection to the API server failed: ${cause.message}`, { cause });
}
