import type { Clock, TransportRequest } from '@karpenter-ts/runtime';
import type { Requests } from '../plan/world-plan.ts';
import type { ApiFault } from './api-fault.ts';

/** What befalls one request: a fault, or the death of whoever sends it, before or after the server carries it out. */
export type Fate =
  | { readonly kind: 'fault'; readonly fault: ApiFault }
  | { readonly kind: 'death'; readonly when: 'before' | 'after'; readonly downFor: number };

interface Trap {
  readonly matches: (request: TransportRequest) => boolean;
  readonly fate: Fate;
  /** How many requests it lets pass, and how many it then befalls. */
  passing: number;
  left: number;
}

/** What will befall requests to the API server. It outlives the operators that send them. */
export class ApiFates {
  readonly #clock: Clock;
  #traps: readonly Trap[] = [];
  #outageUntil = 0;
  #met = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Lets a fault befall so many of these requests. */
  breakRequests(requests: Requests, fault: ApiFault, times: number): void {
    this.#set({
      matches: (request) => isMeant(requests, request),
      fate: { kind: 'fault', fault },
      passing: requests.nth - 1,
      left: times,
    });
  }

  /** Kills whoever sends the nth write from now on. Events and leases do not count: nothing depends on them. */
  killAtWrite(nth: number, when: 'before' | 'after', downFor: number): void {
    const fate: Fate = { kind: 'death', when, downFor };
    const matches = ({ method, path }: TransportRequest): boolean =>
      method !== 'GET' && !/\/(events|leases)(\/|$)/.test(path);
    this.#set({ matches, fate, passing: nth - 1, left: 1 });
  }

  /** Nobody answers for so long. */
  beginOutage(duration: number): void {
    this.#outageUntil = this.#clock.now() + duration;
  }

  /** How many requests have met theirs. */
  get met(): number {
    return this.#met;
  }

  /** All is well again. */
  heal(): void {
    this.#traps = [];
    this.#outageUntil = 0;
  }

  get isOutage(): boolean {
    return this.#clock.now() < this.#outageUntil;
  }

  /** What befalls this request; undefined if nothing does. */
  next(request: TransportRequest): Fate | undefined {
    for (const trap of this.#traps) {
      if (!trap.matches(request) || trap.passing-- > 0) continue;
      this.#met++;
      if (--trap.left === 0) this.#traps = this.#traps.filter((other) => other !== trap);
      return trap.fate;
    }
    return undefined;
  }

  #set(trap: Trap): void {
    this.#traps = [...this.#traps, trap];
  }
}

function isMeant({ method, path }: Requests, request: TransportRequest): boolean {
  return (method ?? request.method) === request.method && request.path.includes(path ?? '');
}
