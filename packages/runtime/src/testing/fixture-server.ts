import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Fault } from './fixture-faults.ts';
import { FixtureResource, type FixtureSnapshot, versionOf, versionText } from './fixture-resource.ts';
import { FixtureWatch } from './fixture-watch.ts';

/** A request to the server. */
export interface FixtureRequest {
  readonly kind: 'list' | 'watch' | 'stream';
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface FixtureOptions {
  /** False answers 422 to `sendInitialEvents`, as Kubernetes 1.33 does. */
  readonly streamsLists?: boolean;
  /** How a compacted version is answered. The API server's watch cache sends an event. */
  readonly goneAs?: 'event' | 'status';
  /** The fault for a request; none by default. */
  readonly faults?: (request: FixtureRequest) => Fault | undefined;
}

/**
 * An API server of one kind, over HTTP: paged lists, watches from a version, bookmarks, streamed lists, and faults on
 * demand. It serves the same objects on every path.
 */
export class FixtureServer {
  readonly resource = new FixtureResource();
  readonly requests: FixtureRequest[] = [];
  faults: (request: FixtureRequest) => Fault | undefined;
  readonly #options: FixtureOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<FixtureWatch>();
  readonly #snapshots = new Map<string, FixtureSnapshot>();

  constructor(options: FixtureOptions = {}) {
    this.#options = options;
    this.faults = options.faults ?? (() => undefined);
    this.#server = createServer((request, response) => this.#handle(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Listens on the given port, or on a free one. */
  async start(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** The open watches. */
  get watches(): readonly FixtureWatch[] {
    return [...this.#watches];
  }

  /** Sends a bookmark with the newest version to every watch. */
  bookmark(): void {
    for (const watch of this.#watches) watch.bookmark(this.resource.version);
  }

  /** Resets all connections, as after a crash. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #handle(incoming: IncomingMessage, response: ServerResponse): void {
    const url = new URL(incoming.url ?? '/', 'http://fixture');
    const query = url.searchParams;
    const kind = !query.has('watch') ? 'list' : query.has('sendInitialEvents') ? 'stream' : 'watch';
    const request: FixtureRequest = { kind, path: url.pathname, query, headers: incoming.headers };
    this.requests.push(request);
    const fault = this.faults(request);
    switch (fault?.do) {
      case 'hang':
        return;
      case 'reset':
        response.socket?.resetAndDestroy();
        return;
      case 'status':
        sendStatus(response, fault.code, 'made up by a fault', fault.retryAfter);
        return;
      case 'delay':
        setTimeout(() => response.destroyed || this.#serve(request, response, undefined), fault.milliseconds);
        return;
      default:
        this.#serve(request, response, fault);
    }
  }

  #serve(request: FixtureRequest, response: ServerResponse, fault: Fault | undefined): void {
    if (request.kind === 'list') return this.#list(request, response, fault);
    const { streamsLists = true, goneAs = 'event' } = this.#options;
    if (request.kind === 'stream' && !streamsLists) {
      return sendStatus(
        response,
        422,
        'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      );
    }
    const from = request.kind === 'stream' ? undefined : versionOf(request.query.get('resourceVersion') ?? '');
    const gone = from !== undefined && this.resource.isForgotten(from);
    if (gone && goneAs === 'status') return sendStatus(response, 410, 'too old resource version');
    const watch = new FixtureWatch({ response, fault, resource: this.resource, request });
    this.#watches.add(watch);
    response.on('close', () => this.#watches.delete(watch));
    if (gone) watch.fail(410, 'too old resource version', false);
    else watch.start(from);
  }

  #list({ query }: FixtureRequest, response: ServerResponse, fault: Fault | undefined): void {
    const token = query.get('continue');
    const { snapshot, start } = this.#pageOf(token);
    const lost = snapshot === undefined || (token !== null && fault?.do === 'expire');
    if (lost) return sendStatus(response, 410, 'The provided continue parameter is too old');
    const { version, texts } = snapshot;
    const end = Math.min(texts.length, start + (Number(query.get('limit')) || texts.length));
    let next = '';
    if (end < texts.length) {
      this.#snapshots.set(String(version), snapshot);
      next = `"continue":"${version}:${end}",`;
    }
    const metadata = `{${next}"resourceVersion":"${versionText(version)}"}`;
    const items = texts.slice(start, end).map((text) => text.replace('"kind":"Pod","apiVersion":"v1",', ''));
    sendList(
      response,
      `{"kind":"PodList","apiVersion":"v1","metadata":${metadata},"items":[${items.join(',')}]}`,
      fault,
    );
  }

  /** The snapshot is undefined if the history was compacted after the token was issued. */
  #pageOf(token: string | null): { readonly snapshot: FixtureSnapshot | undefined; readonly start: number } {
    if (token === null) return { snapshot: this.resource.snapshot(), start: 0 };
    const [version = '', start] = token.split(':');
    const snapshot = this.resource.isForgotten(Number(version)) ? undefined : this.#snapshots.get(version);
    return { snapshot, start: Number(start) };
  }
}

function sendList(response: ServerResponse, body: string, fault: Fault | undefined): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  if (fault?.do !== 'cut') {
    response.end(body);
    return;
  }
  response.write(Buffer.from(body).subarray(0, fault.afterBytes), () => response.socket?.resetAndDestroy());
}

function sendStatus(response: ServerResponse, code: number, message: string, retryAfter?: number): void {
  const reason = { 410: 'Expired', 422: 'Invalid', 429: 'TooManyRequests', 500: 'InternalError' }[code] ?? 'Unknown';
  response.writeHead(code, {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code }));
}
