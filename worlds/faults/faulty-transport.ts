import {
  type Clock,
  ConnectionError,
  SECOND,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '@karpenter-ts/runtime';
import type { ApiFates, Fate } from './api-fates.ts';
import { type ApiFault, refusal } from './api-fault.ts';

/** What stands between one operator and the API server. */
export interface TransportDeps {
  readonly server: Transport;
  readonly clock: Clock;
  readonly fates: ApiFates;
  /** Sees every request that goes through, before the server does. */
  readonly watch: (request: TransportRequest) => Promise<void>;
  readonly tell: (text: string) => void;
  /** Ends the operator this is the way of, for so long. */
  readonly die: (where: string, downFor: number) => void;
}

const DELAY = 5 * SECOND;

/**
 * The only way one operator has to the API server. Requests meet their fates on it, and once it is dead nothing of that
 * operator reaches the server any more.
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
    if (this.#isDead || this.#deps.fates.isOutage) throw broken();
    const fate = this.#deps.fates.next(request);
    const answer = await (fate === undefined ? this.#forward(request, signal) : this.#meet(fate, request, signal));
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

  async #meet(fate: Fate, request: TransportRequest, signal: AbortSignal | undefined): Promise<TransportResponse> {
    if (fate.kind === 'fault') {
      this.#deps.tell(`${request.method} ${request.path} meets ${fate.fault}`);
      return this.#suffer(fate.fault, request, signal);
    }
    if (fate.when === 'after') (await this.#forward(request, signal)).discard();
    this.#deps.die(`${fate.when} ${request.method} ${request.path}`, fate.downFor);
    throw broken();
  }

  async #suffer(
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
