import type { Clock, TransportRequest } from '@karpenter-ts/runtime';
import type { Requests } from '../plan/world-plan.ts';
import type { ApiFault } from './api-fault.ts';

/** What happens to one request: a fault, or its sender is killed before or after the server carries it out. */
export type Injection =
  | { readonly kind: 'fault'; readonly fault: ApiFault }
  | { readonly kind: 'kill'; readonly when: 'before' | 'after'; readonly downFor: number };

interface Rule {
  readonly matches: (request: TransportRequest) => boolean;
  readonly injection: Injection;
  /** How many more matching requests pass before it applies, and to how many it then does. */
  passing: number;
  left: number;
}

/** Decides which requests to the API server fail, and how. It outlives the operators that send them. */
export class ApiFaultInjector {
  readonly #clock: Clock;
  #rules: readonly Rule[] = [];
  #outageUntil = 0;
  #injectedCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** So many of these requests will fail like this. */
  breakRequests(requests: Requests, fault: ApiFault, times: number): void {
    this.#set({
      matches: (request) => isMeant(requests, request),
      injection: { kind: 'fault', fault },
      passing: requests.nth - 1,
      left: times,
    });
  }

  /** Kills whoever sends the nth write from now on. Events and leases do not count: nothing depends on them. */
  killAtWrite(nth: number, when: 'before' | 'after', downFor: number): void {
    const injection: Injection = { kind: 'kill', when, downFor };
    const matches = ({ method, path }: TransportRequest): boolean =>
      method !== 'GET' && !/\/(events|leases)(\/|$)/.test(path);
    this.#set({ matches, injection, passing: nth - 1, left: 1 });
  }

  /** The server is unreachable for so long. */
  beginOutage(duration: number): void {
    this.#outageUntil = this.#clock.now() + duration;
  }

  /** How many requests have failed or killed their sender so far. */
  get injectedCount(): number {
    return this.#injectedCount;
  }

  /** Removes all rules and ends the outage. */
  heal(): void {
    this.#rules = [];
    this.#outageUntil = 0;
  }

  get isOutage(): boolean {
    return this.#clock.now() < this.#outageUntil;
  }

  /** What happens to this request; undefined if it passes. */
  next(request: TransportRequest): Injection | undefined {
    for (const rule of this.#rules) {
      if (!rule.matches(request) || rule.passing-- > 0) continue;
      this.#injectedCount++;
      if (--rule.left === 0) this.#rules = this.#rules.filter((other) => other !== rule);
      return rule.injection;
    }
    return undefined;
  }

  #set(rule: Rule): void {
    this.#rules = [...this.#rules, rule];
  }
}

function isMeant({ method, path }: Requests, request: TransportRequest): boolean {
  return (method ?? request.method) === request.method && request.path.includes(path ?? '');
}
