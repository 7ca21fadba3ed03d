import {
  type Clock,
  ConnectionError,
  SECOND,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '@karpenter-ts/runtime';
import type { ApiFaultInjector, Injection } from './api-fault-injector.ts';
import { type ApiFault, refusal } from './api-fault.ts';

/** What the connection between one operator and the API server needs. */
export interface TransportDeps {
  readonly server: Transport;
  readonly clock: Clock;
  readonly injector: ApiFaultInjector;
  /** Sees every request that goes through, before the server does. */
  readonly watch: (request: TransportRequest) => Promise<void>;
  readonly tell: (text: string) => void;
  /** Called whenever a fault is injected. */
  readonly disturbed: () => void;
  /** Kills the operator of this connection; another one starts after so long. */
  readonly die: (where: string, downFor: number) => void;
}

const DELAY = 5 * SECOND;

/**
 * The connection between one operator and the API server. Requests fail as the injector decides. Once the operator is
 * dead, nothing of it reaches the server any more.
 */
export class FaultyTransport implements Transport {
  readonly #deps: TransportDeps;
  #watches = new AbortController();
  #isDead = false;

  constructor(deps: TransportDeps) {
    this.#deps = deps;
  }

  /** Ends all watches, as a restart of the API server does. */
  cutWatches(): void {
    this.#watches.abort(broken());
    this.#watches = new AbortController();
  }

  /** From now on nothing goes through, in either direction. */
  die(): void {
    this.#isDead = true;
    this.cutWatches();
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    if (this.#isDead || this.#deps.injector.isOutage) throw broken();
    const injection = this.#deps.injector.next(request);
    const answer = await (injection === undefined
      ? this.#forward(request, signal)
      : this.#inject(injection, request, signal));
    if (!this.#isDead) return answer;
    answer.discard();
    throw broken();
  }

  close(): void {
    this.die();
  }

  async #forward(request: TransportRequest, signal: AbortSignal | undefined): Promise<TransportResponse> {
    await this.#deps.watch(request);
    if (this.#isDead) throw broken();
    const isWatch = request.method === 'GET' && request.path.includes('watch=true');
    if (!isWatch) return this.#deps.server.send(request, signal);
    const ends = this.#watches.signal;
    return this.#deps.server.send(request, signal ? AbortSignal.any([signal, ends]) : ends);
  }

  async #inject(
    injection: Injection,
    request: TransportRequest,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    this.#deps.disturbed();
    if (injection.kind === 'fault') {
      this.#deps.tell(`${request.method} ${request.path} meets ${injection.fault}`);
      return this.#applyFault(injection.fault, request, signal);
    }
    if (injection.when === 'after') (await this.#forward(request, signal)).discard();
    this.#deps.die(`${injection.when} ${request.method} ${request.path}`, injection.downFor);
    throw broken();
  }

  async #applyFault(
    fault: ApiFault,
    request: TransportRequest,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    switch (fault) {
      case 'error':
        return refusal(500);
      case 'conflict':
        return refusal(request.method === 'GET' ? 500 : 409);
      case 'throttle':
        return refusal(429);
      case 'refuse':
        throw broken();
      case 'lose':
        (await this.#forward(request, signal)).discard();
        throw broken();
      case 'delay':
        await this.#deps.clock.sleep(DELAY, signal);
        return this.#forward(request, signal);
      case 'repeat':
        (await this.#forward(request, signal)).discard();
        return this.#forward(request, signal);
      default:
        return fault satisfies never;
    }
  }
}

function broken(): ConnectionError {
  return new ConnectionError('connection reset by the world', { cause: new Error('reset') });
}
