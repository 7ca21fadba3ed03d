import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, SECOND } from './clock.ts';
import type { Logger } from './logger.ts';
import { createServer } from './plain-http.ts';
import type { Runnable } from './runnable-group.ts';

/** Answers one request. An exception is logged, and answered with 500 if nothing was sent yet. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** Handlers by path. A path that ends in `/` matches everything below it; the longest match wins. */
export type Routes = Readonly<Record<string, HttpHandler>>;

export interface HttpServerOptions {
  /** The port to listen on, on all addresses. 0 chooses a free one. */
  readonly port: number;
  readonly routes: Routes;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when the server starts to accept requests, and when it stops to, with the address as `[::]:8080`. */
  readonly onListening?: (address: string) => void;
  readonly onClosing?: (address: string) => void;
}

/** How long responses may take once the server is stopping, so that a stalled scraper does not delay the process. */
const CLOSE_GRACE = 1 * SECOND;

/**
 * A plain HTTP server run by the manager. Stopping accepts no new request, closes idle connections at once, and gives
 * responses under way a second to finish.
 */
export class HttpServer implements Runnable {
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  /**
   * Open connections with their number of unanswered requests. Node's `closeIdleConnections` treats a connection that
   * never sent a request as busy.
   */
  readonly #connections = new Map<Socket, number>();
  #isClosing = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#count(request.socket, 1);
      response.once('close', () => this.#count(request.socket, -1));
      void this.#answer(request, response);
    });
    this.#server.on('connection', (socket) => {
      this.#connections.set(socket, 0);
      socket.once('close', () => this.#connections.delete(socket));
    });
    this.#server.headersTimeout = 32 * SECOND; // this and the next line as in upstream's server
    this.#server.keepAliveTimeout = 90 * SECOND;
  }

  /** The port the server listens on; 0 before it does. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Rejects if the port is not available. */
  async start(signal: AbortSignal): Promise<void> {
    const { port, onListening, onClosing } = this.#options;
    if (port < 0 || port > 65_535) throw new Error(`error listening on :${port}: a port is a number from 0 to 65535`);
    const closed = new Promise<void>((resolve, reject) => {
      this.#server
        .once('close', resolve)
        .once('error', (cause) => reject(new Error(`error listening on :${port}: ${cause.message}`, { cause })));
    });
    const stopped = new Promise<void>((resolve) => {
      this.#server.listen(port, () => {
        onListening?.(addressOf(this.#server));
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
    });
    await Promise.race([stopped, closed]); // `closed` rejects if the port is not available
    onClosing?.(addressOf(this.#server));
    await this.#close(closed);
  }

  async #close(closed: Promise<void>): Promise<void> {
    this.#isClosing = true;
    this.#server.close();
    for (const [socket, requests] of this.#connections) if (requests === 0) socket.destroy();
    const cancel = this.#options.clock.after(CLOSE_GRACE, () => {
      for (const socket of this.#connections.keys()) socket.destroy();
    });
    await closed.finally(cancel);
  }

  #count(socket: Socket, change: number): void {
    const requests = (this.#connections.get(socket) ?? 0) + change;
    if (this.#connections.has(socket)) this.#connections.set(socket, requests);
    if (requests === 0 && this.#isClosing) socket.destroySoon(); // otherwise it would be kept alive for another request
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request);
    try {
      await findHandler(this.#options.routes, path)(request, response);
    } catch (error) {
      this.#options.logger.error('failed to answer a request', error, { path });
      if (response.headersSent) response.destroy();
      else sendText(response, 500, 'internal server error\n');
    }
  }
}

type ServerDeps = Pick<HttpServerOptions, 'routes' | 'clock' | 'logger'>;

/** The server of `/metrics`, and of profiles if these are enabled. Its log lines are upstream's. */
export function metricsServer(port: number, { routes, clock, logger }: ServerDeps): HttpServer {
  const ours = logger.named('controller-runtime').named('metrics');
  const server = new HttpServer({
    port,
    routes,
    clock,
    logger: ours,
    onListening: () => {
      ours.info('Starting metrics server');
      ours.info('Serving metrics server', { bindAddress: `:${port}`, secure: false });
    },
    onClosing: () => ours.info('Shutting down metrics server with timeout of 1 minute'),
  });
  return server;
}

/** The server of `/healthz` and `/readyz`. Its log lines are upstream's. */
export function probeServer(port: number, { routes, clock, logger }: ServerDeps): HttpServer {
  const name = 'health probe';
  return new HttpServer({
    port,
    routes,
    clock,
    logger,
    onListening: (addr) => logger.info('starting server', { name, addr }),
    onClosing: (addr) => logger.info('shutting down server', { name, addr }),
  });
}

/** The path of a request, without its query. */
export function pathOf(request: IncomingMessage): string {
  return urlOf(request).pathname;
}

/** The query of a request. */
export function queryOf(request: IncomingMessage): URLSearchParams {
  return urlOf(request).searchParams;
}

/** Answers in plain text, for people with curl. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** The answer to unknown paths. */
export const notFound: HttpHandler = (_request, response) => sendText(response, 404, '404 page not found\n');

function urlOf(request: IncomingMessage): URL {
  return URL.parse(request.url ?? '/', 'http://server') ?? new URL('http://server/');
}

function findHandler(routes: Routes, path: string): HttpHandler {
  if (Object.hasOwn(routes, path)) return routes[path]!;
  const subtrees = Object.keys(routes).filter((route) => route.endsWith('/') && path.startsWith(route));
  const longest = subtrees.reduce((best, route) => (route.length > best.length ? route : best), '');
  return routes[longest] ?? notFound;
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
}
