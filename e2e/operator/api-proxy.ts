import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import { serverCertificatePath, serverKeyPath } from '../lab/control-plane.ts';
import type { Lab } from '../lab/lab.ts';
import { getLabState } from '../lab/lab-state.ts';

/** A request the API server has answered. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly code: number;
}

/** A change the API server has carried out. */
export interface Write extends Exchange {
  /** What it answered: the object as it is now, or a Status. */
  readonly answer: ApiObject;
}

/** Called for each write once it is carried out, before whoever asked hears of it. */
export type WriteObserver = (write: Write) => Promise<void> | void;

const FORBIDDEN = 403;

/**
 * A proxy between a controller and the API server that observes every request and can delay responses. It has the
 * server's certificate, so that clients trust it, and passes everything on unchanged, including tokens and watches.
 */
export class ApiProxy {
  /** Called for each write; set it to inject a fault. */
  afterWrite: WriteObserver = () => undefined;
  /** Called for each request as it comes. */
  onRequest: (method: string, path: string) => void = () => undefined;
  readonly #lab: Lab;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  readonly #refused: Exchange[] = [];
  readonly #unanswered = new Set<IncomingMessage>();

  constructor(lab: Lab) {
    this.#lab = lab;
    const { site } = getLabState(lab.name);
    const [cert, key] = [serverCertificatePath(site), serverKeyPath(site)].map((path) => readFileSync(path));
    this.#server = createServer({ cert, key }, (incoming, outgoing) => this.#pass(incoming, outgoing));
  }

  /** Resolves with its address. */
  async start(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests that were answered 403, in order. */
  get refused(): readonly string[] {
    return this.#refused.map(({ method, path }) => `${method} ${path}`);
  }

  /** Requests that the API server has not begun to answer. */
  get unanswered(): readonly string[] {
    return [...this.#unanswered].map(({ method = '', url = '' }) => `${method} ${url}`);
  }

  stop(): void {
    this.#server.close().closeAllConnections();
    this.#agent.destroy();
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = '', url = '', headers } = incoming;
    const upstream = request(new URL(url, this.#lab.server), {
      method,
      headers: { ...headers, host: new URL(this.#lab.server).host },
      ca: this.#lab.caData,
      agent: this.#agent,
    });
    this.onRequest(method, url);
    this.#unanswered.add(incoming);
    outgoing.on('close', () => void this.#unanswered.delete(incoming));
    const giveUp = () => void outgoing.destroy(); // as a server does that dies
    // A write that has been sent is carried out, whether or not anybody is left to hear of it.
    outgoing.on('close', () => void ((method === 'GET' || !incoming.complete) && upstream.destroy()));
    upstream.on('error', giveUp).on('response', (answer) => {
      this.#unanswered.delete(incoming);
      answer.on('error', giveUp).on('aborted', giveUp);
      this.#answer({ method, path: url, code: answer.statusCode ?? 0 }, answer, outgoing).catch(giveUp);
    });
    incoming.pipe(upstream);
  }

  async #answer(exchange: Exchange, answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (exchange.code === FORBIDDEN) this.#refused.push(exchange);
    if (exchange.method === 'GET') {
      outgoing.writeHead(exchange.code, answer.headers);
      answer.pipe(outgoing);
      return;
    }
    const body = await buffer(answer);
    if (exchange.code < 300) await this.afterWrite({ ...exchange, answer: JSON.parse(body.toString()) as ApiObject });
    outgoing.writeHead(exchange.code, answer.headers);
    outgoing.end(body);
  }
}
