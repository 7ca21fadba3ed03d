import { credentialsExpired } from './auth-refusals.ts';

/** What goes wrong. */
export type Fault =
  /** The connection breaks: before anything was done, or after it and before the caller hears of it. */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /** The answer comes late. */
  | { readonly kind: 'slow'; readonly delay: number }
  /**
   * The answer breaks off in the middle: what was asked for is done. The caller sees the connection break, unless the
   * answer hides that there was to be more, as a careless proxy does.
   */
  | { readonly kind: 'half-answer'; readonly length?: 'hidden' }
  /** The request is refused; nothing is done. */
  | { readonly kind: 'refuse'; readonly code: string; readonly message: string; readonly status: number }
  /** The request is done and the answer is an error all the same. */
  | { readonly kind: 'refuse-after'; readonly code: string; readonly message: string; readonly status: number }
  /** The answer is another: values that nobody knows, fields that are missing. */
  | { readonly kind: 'alter'; readonly alter: (output: object) => object }
  /** The answer is made up; nothing is done. Pages of a listing that never was. */
  | { readonly kind: 'answer'; readonly answer: (input: object) => object }
  /** The service's clock is ahead by so much; it refuses requests whose date is more than five minutes off. */
  | { readonly kind: 'clock-skew'; readonly ahead: number };

/** Which requests a fault is for. */
export interface FaultScope {
  readonly service?: string;
  readonly operation?: string;
  /** After so many requests it is over; it stays until it is lifted unless given. */
  readonly times?: number;
  /** Of the requests in its scope, which. */
  readonly when?: (input: object) => boolean;
}

interface Injected {
  readonly fault: Fault;
  readonly scope: FaultScope;
  left: number;
}

/** What is to go wrong with requests, in the order in which it was injected. */
export class Faults {
  readonly #injected = new Set<Injected>();

  /** Returns how to lift the fault. */
  inject(fault: Fault, scope: FaultScope = {}): () => void {
    const injected: Injected = { fault, scope, left: scope.times ?? Number.POSITIVE_INFINITY };
    this.#injected.add(injected);
    return () => this.#injected.delete(injected);
  }

  liftAll(): void {
    this.#injected.clear();
  }

  /** The faults of one request, each of which is counted as used. */
  take(service: string, operation: string, input: object): readonly Fault[] {
    const taken: Fault[] = [];
    for (const injected of this.#injected) {
      const { scope } = injected;
      if (scope.service !== undefined && scope.service !== service) continue;
      if (scope.operation !== undefined && scope.operation !== operation) continue;
      if (scope.when !== undefined && !scope.when(input)) continue;
      taken.push(injected.fault);
      if (--injected.left <= 0) this.#injected.delete(injected);
    }
    return taken;
  }
}

export const requestLimitExceeded: Fault = {
  kind: 'refuse',
  code: 'RequestLimitExceeded',
  message: 'Request limit exceeded.',
  status: 503,
};

export const internalError: Fault = {
  kind: 'refuse',
  code: 'InternalError',
  message: 'An internal error has occurred',
  status: 500,
};

/** As the service says it. */
export function expiredCredentials(service: string): Fault {
  const { code, message, status } = credentialsExpired(service);
  return { kind: 'refuse', code, message, status };
}

export const unauthorized: Fault & { readonly kind: 'refuse' } = {
  kind: 'refuse',
  code: 'UnauthorizedOperation',
  message: 'You are not authorized to perform this operation.',
  status: 403,
};

/** Which policy keeps a caller from doing something. */
export type Denial =
  | 'no-identity-based-policy'
  | 'identity-based-policy'
  | 'permissions-boundary'
  | 'service-control-policy'
  | 'image';

const BECAUSE: Readonly<Record<Exclude<Denial, 'image'>, (action: string) => string>> = {
  'no-identity-based-policy': (action) => `because no identity-based policy allows the ${action} action`,
  'identity-based-policy': () => 'with an explicit deny in an identity-based policy',
  'permissions-boundary': () => 'with an explicit deny in a permissions boundary',
  'service-control-policy': () => 'with an explicit deny in a service control policy',
};

/** What EC2 says to a caller who may not do this, such as `ec2:CreateFleet`, to this resource. */
export function unauthorizedTo(action: string, denial: Denial, resource = '*'): Fault {
  if (denial === 'image') return { ...unauthorized, message: `Not authorized for images: [${resource}]` };
  const caller = 'arn:aws:sts::111122223333:assumed-role/KarpenterController/karpenter';
  const what = `User: ${caller} is not authorized to perform: ${action} on resource: ${resource}`;
  const encoded = 'Encoded authorization failure message: 4GIOHlTkIaWHQD0Q0m6XSnuUMCm';
  return { ...unauthorized, message: `${unauthorized.message} ${what} ${BECAUSE[denial](action)}. ${encoded}` };
}
