import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { AgentOptions } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import {
  type Cancel,
  type Clock,
  findEnvironmentProxy,
  MINUTE,
  proxyAuthorization,
  SECOND,
  ServerAgent,
} from '@karpenter-ts/runtime';
import type { HttpHandlerOptions, HttpRequest, HttpResponse } from '@smithy/types';

/** What the SDK's clients send their requests with. */
export interface AwsHttpHandler {
  readonly metadata?: { readonly handlerProtocol: string };
  handle(request: HttpRequest, options?: HttpHandlerOptions): Promise<{ response: HttpResponse }>;
  destroy?(): void;
}

/** From the first byte of the connection to the last byte of the answer (spec 07 §1). */
const REQUEST_TIMEOUT = 4 * MINUTE;

/**
 * For the connection, that of TLS included: where packets are dropped, as without a VPC endpoint, the operating system
 * would wait for minutes, and a process that starts would be ended before it has said what is wrong.
 */
const CONNECT_TIMEOUT = 30 * SECOND;

/** Larger answers are refused: the largest page that we ask for has a tenth of it. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The SDK tries again after errors of this name. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

export interface HttpHandlerSettings {
  readonly clock: Clock;
  /** Proxies are taken from it. */
  readonly env: NodeJS.ProcessEnv;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca?: string | undefined;
}

/**
 * HTTP/1.1 over kept connections, through the proxies of the environment as Go finds them: a tunnel for TLS, the whole
 * address in the request line for plain HTTP. An answer is read whole; one that is cut short is an error that the SDK
 * tries again after.
 */
export class HttpHandler implements AwsHttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #clock: Clock;
  readonly #env: NodeJS.ProcessEnv;
  readonly #secureContext: SecureContext | undefined;
  readonly #plain = new http.Agent(CONNECTIONS);
  readonly #secure = new Map<string, ServerAgent>(); // by origin: a service and a region have one each

  /** Throws if the certificates cannot be used. */
  constructor({ clock, env, ca }: HttpHandlerSettings) {
    this.#clock = clock;
    this.#env = env;
    this.#secureContext = ca === undefined ? undefined : createSecureContext({ ca });
  }

  async handle(request: HttpRequest, { abortSignal }: HttpHandlerOptions = {}): Promise<{ response: HttpResponse }> {
    const signal = abortSignal as AbortSignal | undefined;
    signal?.throwIfAborted();
    return { response: await this.#exchange(request, signal) };
  }

  destroy(): void {
    this.#plain.destroy();
    for (const agent of this.#secure.values()) agent.destroy();
  }

  #exchange(request: HttpRequest, signal: AbortSignal | undefined): Promise<HttpResponse> {
    const open = request.protocol === 'https:' ? requestSecurely : http.request;
    const options = this.#optionsFor(request);
    return new Promise((resolve, reject) => {
      const outgoing = open(options);
      const abort = (): void => fail(signal?.reason);
      const cancel = this.#clock.after(REQUEST_TIMEOUT, () => {
        fail(new TimeoutError(`no complete answer from ${request.hostname} within ${REQUEST_TIMEOUT / SECOND}s`));
      });
      let cancelConnecting: Cancel = () => undefined;
      const end = (): void => {
        cancel();
        cancelConnecting();
        signal?.removeEventListener('abort', abort);
      };
      const fail = (error: unknown): void => {
        end();
        reject(error);
        outgoing.destroy();
      };
      signal?.addEventListener('abort', abort, { once: true });
      outgoing.on('error', fail);
      outgoing.on('socket', (socket) => {
        const late = (): void => {
          fail(new TimeoutError(`no connection to ${request.hostname} within ${CONNECT_TIMEOUT / SECOND}s`));
        };
        if (outgoing.reusedSocket) return;
        cancelConnecting = this.#clock.after(CONNECT_TIMEOUT, late);
        socket.once(open === requestSecurely ? 'secureConnect' : 'connect', cancelConnecting);
      });
      outgoing.on('response', (incoming) => {
        readWhole(incoming).then((body) => {
          end();
          resolve({ statusCode: incoming.statusCode ?? 0, headers: headersOf(incoming), body });
        }, fail);
      });
      outgoing.end(request.body);
    });
  }

  #optionsFor(request: HttpRequest): RequestOptions {
    const { protocol, hostname, headers, method } = request;
    const isSecure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const port = request.port ?? (isSecure ? 443 : 80);
    const origin = `${protocol}//${hostname}:${port}`;
    const path = pathOf(request);
    if (isSecure) return { protocol, host, port, method, path, headers, agent: this.#secureAgent(origin) };
    const proxy = findEnvironmentProxy(new URL(origin), this.#env);
    if (proxy === undefined) return { protocol, host, port, method, path, headers, agent: this.#plain };
    return {
      protocol,
      host: proxy.hostname,
      port: proxy.port || 80,
      method,
      path: origin + path,
      headers: { ...headers, ...proxyAuthorization(proxy) },
      agent: this.#plain,
    };
  }

  #secureAgent(origin: string): ServerAgent {
    let agent = this.#secure.get(origin);
    if (agent === undefined) {
      const options = { ...CONNECTIONS, ...(this.#secureContext && { secureContext: this.#secureContext }) };
      agent = new ServerAgent(options, findEnvironmentProxy(new URL(origin), this.#env));
      this.#secure.set(origin, agent);
    }
    return agent;
  }
}

/** Loaded as the runtime loads it, without the parts that nothing here uses. */
const http = process.getBuiltinModule('node:http');

/** At most so many connections to a service; further requests wait. Idle ones are closed before AWS closes them. */
const CONNECTIONS: AgentOptions = { keepAlive: true, maxSockets: 128, maxFreeSockets: 32, timeout: 15 * SECOND };

function pathOf({ path, query = {} }: HttpRequest): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    [value].flat().map((one) => (one === null ? encode(key) : `${encode(key)}=${encode(one ?? '')}`)),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** As signatures want it: `!'()*` are encoded too. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) found[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return found;
}

async function readWhole(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new Error(`the answer has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
