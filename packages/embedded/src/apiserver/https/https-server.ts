import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { RequestHandler, TransportRequest, TransportResponse } from '@karpenter-ts/runtime';
import { decodeProtobuf, UnknownKindError } from '../protobuf/decode.ts';
import { ApiError } from '../status.ts';
import { Batch } from './batch.ts';
import type { ServerCertificate } from './certificates.ts';
import { findOpenApiV2 } from './openapi-v2.ts';
import { readBody } from './request-body.ts';

/**
 * Longer than clients keep idle connections, so that the client closes first and no request meets a closing connection.
 */
const IDLE_MILLISECONDS = 10 * 60_000;

export interface HttpsServerOptions {
  readonly handler: RequestHandler;
  readonly certificate: ServerCertificate;
  /** The bearer token that every request must carry. */
  readonly token: string;
  /** On 127.0.0.1; any free one unless told. */
  readonly port?: number;
}

/** The API server over HTTPS on the loopback address. */
export interface HttpsServer {
  /** `https://127.0.0.1:…` */
  readonly url: string;
  /** Resolves when the last connection is closed. */
  readonly closed: Promise<void>;
}

/**
 * Serves HTTPS on the loopback address until the signal aborts, which also ends requests under way. Web pages that the
 * user visits are kept out: a request needs the token, must name this host (a foreign name that resolves to this
 * address is refused) and must not come from a page; and no response allows a browser to share it.
 */
export async function serveHttps(options: HttpsServerOptions, signal: AbortSignal): Promise<HttpsServer> {
  const { certificate } = options;
  const server = createServer({ key: certificate.key, cert: certificate.certificate }, (request, response) => {
    void answer(options, request, response);
  });
  server.keepAliveTimeout = IDLE_MILLISECONDS;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening', { signal });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, closed: closeWith(server, signal) };
}

async function closeWith(server: Server, signal: AbortSignal): Promise<void> {
  const closed = once(server, 'close');
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  await closed;
}

/** One object for all, because creating an error costs more than sending a small response. */
const LEFT = new Error('the client has left');

/** Never rejects: an error is reported to the client, if it is still connected. */
async function answer(
  { handler, token }: HttpsServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  const { signal } = gone;
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(LEFT); // or we stop
  });
  try {
    admit(request, token);
    const asked = await translate(request);
    await send(findOpenApiV2(asked) ?? (await handler(asked, signal)), response, signal);
  } catch (error) {
    if (signal.aborted) response.destroy();
    else refuse(error, response);
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Throws an ApiError for a request that may not be served. */
function admit({ headers }: IncomingMessage, token: string): void {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  if (!LOOPBACK.has(host)) throw new ApiError(403, 'Forbidden', `host "${host}" is not this machine`);
  if (headers.origin !== undefined) throw new ApiError(403, 'Forbidden', 'requests of web pages are not served');
  const [, sent = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (!isSame(sent, token)) throw new ApiError(401, 'Unauthorized', 'Unauthorized');
}

/** Compares in constant time for texts of equal length; the length is no secret. */
function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

async function translate(request: IncomingMessage): Promise<TransportRequest> {
  const { method = '', url = '/' } = request;
  if (!METHODS.has(method)) {
    throw new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  }
  const headers = request.headers as Readonly<Record<string, string>>; // only Set-Cookie is ever a list
  const body = await readBody(request);
  const asked = { method: method as TransportRequest['method'], path: url, headers, ...(body.length > 0 && { body }) };
  return headers['content-type']?.startsWith(PROTOBUF) ? withJsonBody(asked, body) : asked;
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Behind the front, all is JSON. */
function withJsonBody(asked: TransportRequest, body: Buffer): TransportRequest {
  const headers = { ...asked.headers, 'content-type': 'application/json' };
  if (body.length === 0) return { ...asked, headers };
  try {
    return { ...asked, headers, body: JSON.stringify(decodeProtobuf(body)) };
  } catch (error) {
    if (error instanceof UnknownKindError) throw new ApiError(415, 'UnsupportedMediaType', error.message);
    throw new ApiError(400, 'BadRequest', `the body cannot be read as protobuf: ${String(error)}`);
  }
}

/** Writes no faster than the client reads, and batches what is written in one turn of the event loop. */
async function send(answered: TransportResponse, response: ServerResponse, signal: AbortSignal): Promise<void> {
  response.statusCode = answered.status;
  for (const [name, value] of Object.entries(answered.headers)) response.setHeader(name, value);
  const head = setImmediate(() => response.flushHeaders()); // a watch may have nothing to say for long
  const batch = new Batch(response);
  try {
    for await (const chunk of answered.body) {
      batch.add(chunk);
      if (response.writableNeedDrain) await once(response, 'drain', { signal });
    }
    batch.end();
  } finally {
    clearImmediate(head);
    answered.discard();
  }
}

function refuse(error: unknown, response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const refusal = error instanceof ApiError ? error : new ApiError(500, 'InternalError', String(error));
  const body = JSON.stringify(refusal.status());
  // The rest of the request is not read, so the connection cannot be used again.
  response.writeHead(refusal.code, { 'content-type': 'application/json', connection: 'close' });
  response.end(body);
}
