import type { Agent as AnyAgent } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';
import { openTunnel } from './proxy.ts';
import type { Purpose } from './transport.ts';

/**
 * The options of all connections to a server. These timeouts are the socket's and run in real time, not on our clock.
 */
const AGENT_OPTIONS = {
  keepAlive: true,
  keepAliveMsecs: 30_000, // TCP keep-alive: a dead peer is found after 40 s
  timeout: 60_000, // an idle connection is closed before the server (90 s) can close it during a request
  maxFreeSockets: 128, // after a burst most are kept for the next one, because each handshake has a cost for both sides
} as const;

/** How many connections each purpose may have; further requests of that purpose wait. */
const MOST_CONNECTIONS: Readonly<Record<Purpose, number>> = {
  requests: 256,
  watches: Number.POSITIVE_INFINITY, // each watch holds one for good, and there are as many as watched kinds
  lease: 2, // one renewal at a time, and one that was abandoned and is not closed yet
  probes: 4, // anyone who can reach the probes can cause requests
};

/** The agents for one server, one per purpose, created on demand. */
export class AgentsByPurpose<A extends AnyAgent> {
  readonly #create: (options: AgentOptions) => A;
  readonly #agents = new Map<Purpose, A>();

  constructor(create: (options: AgentOptions) => A) {
    this.#create = create;
  }

  get(purpose: Purpose): A {
    let agent = this.#agents.get(purpose);
    if (agent === undefined) {
      agent = this.#create({ ...AGENT_OPTIONS, maxSockets: MOST_CONNECTIONS[purpose] });
      this.#agents.set(purpose, agent);
    }
    return agent;
  }

  all(): Iterable<A> {
    return this.#agents.values();
  }
}

/** The TLS connections to one API server, all with the same certificates, direct or through a proxy. */
export class ServerAgent extends Agent {
  readonly #proxy: URL | undefined;
  #retired = false;

  constructor(options: AgentOptions, proxy: URL | undefined) {
    super(options);
    this.#proxy = proxy;
  }

  /** Called when certificates have changed: requests under way may finish, but no connection is kept. */
  retire(): void {
    this.#retired = true;
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const keep: unknown = super.keepSocketAlive(socket); // a boolean, despite its type
    return keep !== false && !this.#retired;
  }

  override createConnection(
    options: RequestOptions,
    callback: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    if (this.#proxy === undefined) return super.createConnection(options, callback);
    const host = options.host ?? '';
    openTunnel(this.#proxy, `${isIP(host) === 6 ? `[${host}]` : host}:${options.port}`).then(
      (socket) => callback(null, connect({ ...(options as ConnectionOptions), socket })),
      (error: Error) => (callback as (error: Error) => void)(error),
    );
    return undefined; // the socket is passed to the callback
  }
}
