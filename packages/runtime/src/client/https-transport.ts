import type { RequestOptions } from 'node:http';
import type { AgentOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { SteadyClock } from '../steady-clock.ts';
import type { Logger } from '../logger.ts';
import { Agent as PlainAgent } from '../plain-http.ts';
import { type Connection, ConnectionConfigError, type Identity } from './connection.ts';
import {
  basicCredential,
  type Credential,
  type CredentialSource,
  fixedCredential,
  TokenFile,
  tokenCredential,
} from './credentials.ts';
import { exchange } from './exchange.ts';
import { ExecCredentials } from './exec-credentials.ts';
import { findProxy } from './proxy.ts';
import { AgentsByPurpose, ServerAgent } from './server-agent.ts';
import { isSameMaterial, TlsFiles, type TlsMaterial } from './tls-files.ts';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from './transport.ts';

export interface HttpsTransportOptions {
  readonly connection: Connection;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  /** Proxies are taken from it, and credential plugins inherit it. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * HTTP/1.1 to one API server over kept connections, in a pool per purpose. Certificates and tokens that change on disk
 * are reloaded, and a request answered 401 is repeated once with a fresh credential.
 */
export class HttpsTransport implements Transport {
  readonly #connection: Connection;
  readonly #server: URL;
  readonly #proxy: URL | undefined;
  readonly #tls: TlsFiles;
  readonly #credentials: CredentialSource;
  readonly #plain = new AgentsByPurpose((options) => new PlainAgent(options));
  #secure: { readonly agents: AgentsByPurpose<ServerAgent>; readonly material: TlsMaterial } | undefined;
  #closed = false;

  /** Throws a ConnectionConfigError if the proxy cannot be used. */
  constructor(options: HttpsTransportOptions) {
    const { connection, clock, env } = options;
    this.#connection = connection;
    this.#server = new URL(connection.server);
    if (connection.proxyUrl !== undefined && this.#server.protocol !== 'https:') {
      throw new ConnectionConfigError(`proxy-url needs an https server, not ${connection.server}`);
    }
    this.#proxy = findProxy(this.#server, connection.proxyUrl, env);
    this.#tls = new TlsFiles(connection, clock);
    this.#credentials = credentialsOf(connection.identity, options);
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    const credential = await this.#credentials.current(signal);
    const response = await this.#exchange(request, credential, signal);
    if (response.status !== 401) return response;
    this.#credentials.refuse(credential);
    const fresh = await this.#credentials.current(signal);
    if (fresh === credential) return response;
    response.discard();
    return this.#exchange(request, fresh, signal);
  }

  close(): void {
    this.#closed = true;
    this.#credentials.close?.();
    for (const agent of [...this.#plain.all(), ...(this.#secure?.agents.all() ?? [])]) agent.destroy();
  }

  async #exchange(request: TransportRequest, credential: Credential, signal?: AbortSignal): Promise<TransportResponse> {
    const { hostname, port, protocol, pathname } = this.#server;
    const agents = protocol === 'https:' ? await this.#agentsFor(credential) : this.#plain;
    if (this.#closed) throw new ConnectionError('transport is closed');
    signal?.throwIfAborted();
    const options: RequestOptions = {
      protocol,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port || (protocol === 'https:' ? 443 : 80),
      method: request.method,
      path: pathname.replace(/\/$/, '') + request.path,
      headers: this.#headers(request, credential),
      agent: agents.get(request.purpose ?? 'requests'),
    };
    try {
      return await exchange(options, request, signal);
    } catch (error) {
      this.#tls.expire();
      throw error;
    }
  }

  #headers(request: TransportRequest, { authorization }: Credential): NonNullable<RequestOptions['headers']> {
    const { body, headers } = request;
    return {
      ...this.#connection.impersonation,
      ...headers,
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    };
  }

  /** The agents for the current certificates; new ones if these have changed. */
  async #agentsFor({ certificate }: Credential): Promise<AgentsByPurpose<ServerAgent>> {
    const files = await this.#tls.current();
    const material = certificate === undefined ? files : { ca: files.ca, ...certificate };
    if (this.#secure !== undefined && isSameMaterial(material, this.#secure.material)) return this.#secure.agents;
    const tls = this.#tlsOptions(material);
    const agents = new AgentsByPurpose((options) => new ServerAgent({ ...options, ...tls }, this.#proxy));
    for (const agent of this.#secure?.agents.all() ?? []) agent.retire();
    this.#secure = { agents, material };
    return agents;
  }

  /** Decodes the certificates once for all connections. Throws a ConnectionError if they cannot be used. */
  #tlsOptions({ ca, cert, key }: TlsMaterial): AgentOptions {
    const { tlsServerName, insecureSkipTlsVerify } = this.#connection;
    try {
      return {
        secureContext: createSecureContext({
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert, key }),
        }),
        ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
        rejectUnauthorized: !insecureSkipTlsVerify,
      };
    } catch (cause) {
      this.#tls.expire();
      throw new ConnectionError(`the certificates cannot be used: ${(cause as Error).message}`, { cause });
    }
  }
}

function credentialsOf(identity: Identity, options: HttpsTransportOptions): CredentialSource {
  const { clock, env, logger } = options;
  const onStale = (error: Error): void => logger.error('Unable to rotate token', error);
  switch (identity.kind) {
    case 'none':
      return fixedCredential({});
    case 'token':
      return fixedCredential(tokenCredential(identity.token));
    case 'basic':
      return fixedCredential(basicCredential(identity.username, identity.password));
    case 'tokenFile':
      return new TokenFile({ file: identity.file, fallback: identity.token, clock, onStale });
    case 'exec':
      return new ExecCredentials({ plugin: identity.plugin, clock, env, isTerminal: process.stdin.isTTY, onStale });
    default:
      return identity satisfies never;
  }
}
