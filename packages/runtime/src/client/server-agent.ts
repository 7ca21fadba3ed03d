import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions, createSecureContext } from 'node:tls';
import { openTunnel } from './proxy.ts';

/** What all connections to one server share. Their times are the socket's, which is real: no clock of ours runs here. */
export const AGENT_OPTIONS = {
  keepAlive: true,
  keepAliveMsecs: 30_000, // TCP keep-alive: a dead peer is found after 40 s
  timeout: 60_000, // an idle connection goes before the server (90 s) can close it under a request's feet
  maxSockets: 256, // each watch holds one for good; the rest is for requests
  maxFreeSockets: 128, // after a burst most are kept for the next: each costs both sides a handshake
} as const;

/** The TLS connections to one API server, made with one set of certificates, straight or through a proxy. */
export class ServerAgent extends Agent {
  readonly #proxy: URL | undefined;
  #retired = false;

  /** Throws if the certificates cannot be used. They are read once, not for every connection. */
  constructor({ ca, cert, key, ...tls }: AgentOptions, proxy: URL | undefined) {
    super({ ...AGENT_OPTIONS, ...tls, secureContext: createSecureContext({ ca, cert, key }) });
    this.#proxy = proxy;
  }

  /** Certificates have changed: what is under way may end, nothing is kept for later. */
  retire(): void {
    this.#retired = true;
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const keep: unknown = super.keepSocketAlive(socket); // a boolean, whatever its declaration says
    return keep !== false && !this.#retired;
  }

  override createConnection(
    options: RequestOptions,
    callback: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    if (this.#proxy === undefined) return super.createConnection(options, callback);
    openTunnel(this.#proxy, `${options.host}:${options.port}`).then(
      (socket) => callback(null, connect({ ...(options as ConnectionOptions), socket })),
      (error: Error) => (callback as (error: Error) => void)(error),
    );
    return undefined; // the callback brings it
  }
}
