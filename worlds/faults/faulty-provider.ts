import type { NodeClaim } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Fault } from '@karpenter-ts/cloudprovider/testing';
import type { Clock } from '@karpenter-ts/runtime';
import { type CloudFault, type CloudMethod, faultOf } from './cloud-fault.ts';

/** What happens to one call: a fault, or its caller is killed before or after it. */
type Injection = { readonly kind: 'fault'; readonly fault: Fault } | Kill;

interface Kill {
  readonly kind: 'kill';
  readonly when: 'before' | 'after';
  readonly downFor: number;
}

/** Decides which of the next calls to the cloud fail, and how: for each method in the order in which it was told. */
export class CloudFaultInjector {
  readonly #queued = new Map<CloudMethod, Injection[]>();
  #injectedCount = 0;

  /** How many calls have failed or killed their caller so far. */
  get injectedCount(): number {
    return this.#injectedCount;
  }

  breakCalls(method: CloudMethod, fault: CloudFault, times: number): void {
    this.#queue(
      method,
      ...Array.from({ length: times }, () => ({ kind: 'fault', fault: faultOf(fault, method) }) as const),
    );
  }

  /** Kills whoever makes the next call of the method; `after` lets the cloud carry it out. */
  killAt(method: CloudMethod, when: 'before' | 'after', downFor: number): void {
    this.#queue(method, { kind: 'kill', when, downFor });
  }

  /** From now on all calls succeed. */
  heal(): void {
    this.#queued.clear();
  }

  next(method: CloudMethod): Injection | undefined {
    const injection = this.#queued.get(method)?.shift();
    if (injection !== undefined) this.#injectedCount++;
    return injection;
  }

  #queue(method: CloudMethod, ...injector: readonly Injection[]): void {
    this.#queued.set(method, [...(this.#queued.get(method) ?? []), ...injector]);
  }
}

/** Is told of the operator's calls to the cloud. */
export interface CloudCallChecker {
  /** Called before the instance is deleted. */
  deleting(nodeClaim: NodeClaim): Promise<void>;
  /** Called once the operator has the answer. */
  created(nodeClaim: NodeClaim, answer: NodeClaim): void;
}

interface Deps {
  readonly clock: Clock;
  readonly injector: CloudFaultInjector;
  readonly checker: CloudCallChecker;
  readonly tell: (text: string) => void;
  /** Kills the operator of this provider; another one starts after so long. */
  readonly die: (where: string, downFor: number) => void;
  /** Aborted when the operator is dead: whatever it still asks is not heard. */
  readonly dead: AbortSignal;
}

/** The provider of one operator, whose calls fail as the injector decides, and all of them once that operator is dead. */
export function faultyProvider(
  provider: CloudProvider,
  { clock, injector, checker, tell, die, dead }: Deps,
): CloudProvider {
  async function withFaults<T>(method: CloudMethod, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    dead.throwIfAborted();
    const injection = injector.next(method);
    if (injection === undefined) return work();
    if (injection.kind === 'kill') {
      if (injection.when === 'after') await work().catch(() => undefined);
      die(`${injection.when} ${method}`, injection.downFor);
      throw new Error('the caller is dead');
    }
    const { fault } = injection;
    tell(`${method} meets ${fault.kind}`);
    switch (fault.kind) {
      case 'Refusal':
        throw fault.error;
      case 'LostAnswer':
        await work().catch(() => undefined);
        throw fault.error;
      case 'Garbage':
        await work();
        return fault.answer as T;
      case 'Delay':
        await clock.sleep(fault.delay, signal);
        dead.throwIfAborted();
        return work();
      default:
        return fault satisfies never;
    }
  }
  // Not a copy: a provider may be a class, and keep what it is in private fields.
  return Object.assign(Object.create(provider) as CloudProvider, {
    create: async (nodeClaim, signal) => {
      const answer = await withFaults('create', () => provider.create(nodeClaim, signal), signal);
      checker.created(nodeClaim, answer);
      return answer;
    },
    delete: (nodeClaim, signal) =>
      withFaults(
        'delete',
        async () => {
          await checker.deleting(nodeClaim);
          dead.throwIfAborted();
          return provider.delete(nodeClaim, signal);
        },
        signal,
      ),
    get: (providerId, signal) => withFaults('get', () => provider.get(providerId, signal), signal),
    list: (signal) => withFaults('list', () => provider.list(signal), signal),
    instanceTypes: (nodePool, signal) =>
      withFaults('instanceTypes', () => provider.instanceTypes(nodePool, signal), signal),
    findDrift: async (nodeClaim, signal) => {
      dead.throwIfAborted();
      return provider.findDrift(nodeClaim, signal);
    },
  } satisfies Partial<CloudProvider>);
}
