import type { NodeClaim } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Fault } from '@karpenter-ts/cloudprovider/testing';
import type { Clock } from '@karpenter-ts/runtime';
import { type CloudFault, type CloudMethod, faultOf } from './cloud-fault.ts';

/** What befalls one call: a fault, or the death of the caller before or after it. */
type Fate = { readonly kind: 'fault'; readonly fault: Fault } | Death;

interface Death {
  readonly kind: 'death';
  readonly when: 'before' | 'after';
  readonly downFor: number;
}

/** What will befall calls to the cloud, in order and by method. */
export class CloudFates {
  readonly #queued = new Map<CloudMethod, Fate[]>();
  #met = 0;

  /** How many calls have met theirs. */
  get met(): number {
    return this.#met;
  }

  breakCalls(method: CloudMethod, fault: CloudFault, times: number): void {
    this.#queue(
      method,
      ...Array.from({ length: times }, () => ({ kind: 'fault', fault: faultOf(fault, method) }) as const),
    );
  }

  /** Kills whoever makes the next call of the method; `after` lets the cloud carry it out. */
  killAt(method: CloudMethod, when: 'before' | 'after', downFor: number): void {
    this.#queue(method, { kind: 'death', when, downFor });
  }

  /** All is well again. */
  heal(): void {
    this.#queued.clear();
  }

  next(method: CloudMethod): Fate | undefined {
    const fate = this.#queued.get(method)?.shift();
    if (fate !== undefined) this.#met++;
    return fate;
  }

  #queue(method: CloudMethod, ...fates: readonly Fate[]): void {
    this.#queued.set(method, [...(this.#queued.get(method) ?? []), ...fates]);
  }
}

/** Sees what the operator asks of the cloud. */
export interface CloudWitness {
  /** Before the cloud hears of it. */
  deleting(nodeClaim: NodeClaim): Promise<void>;
  /** After the operator has heard of it. */
  created(nodeClaim: NodeClaim, answer: NodeClaim): void;
}

interface Deps {
  readonly clock: Clock;
  readonly fates: CloudFates;
  readonly witness: CloudWitness;
  readonly tell: (text: string) => void;
  /** Ends the operator this is the cloud of, for so long. */
  readonly die: (where: string, downFor: number) => void;
  /** Aborted when the operator is dead: whatever it still asks is not heard. */
  readonly dead: AbortSignal;
}

/** The provider as one operator has it: with all that befalls its calls, and deaf once that operator is dead. */
export function faultyProvider(
  provider: CloudProvider,
  { clock, fates, witness, tell, die, dead }: Deps,
): CloudProvider {
  async function suffer<T>(method: CloudMethod, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    dead.throwIfAborted();
    const fate = fates.next(method);
    if (fate === undefined) return work();
    if (fate.kind === 'death') {
      if (fate.when === 'after') await work().catch(() => undefined);
      die(`${fate.when} ${method}`, fate.downFor);
      throw new Error('the caller is dead');
    }
    const { fault } = fate;
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
      const answer = await suffer('create', () => provider.create(nodeClaim, signal), signal);
      witness.created(nodeClaim, answer);
      return answer;
    },
    delete: (nodeClaim, signal) =>
      suffer(
        'delete',
        async () => {
          await witness.deleting(nodeClaim);
          dead.throwIfAborted();
          return provider.delete(nodeClaim, signal);
        },
        signal,
      ),
    get: (providerId, signal) => suffer('get', () => provider.get(providerId, signal), signal),
    list: (signal) => suffer('list', () => provider.list(signal), signal),
    instanceTypes: (nodePool, signal) =>
      suffer('instanceTypes', () => provider.instanceTypes(nodePool, signal), signal),
    findDrift: async (nodeClaim, signal) => {
      dead.throwIfAborted();
      return provider.findDrift(nodeClaim, signal);
    },
  } satisfies Partial<CloudProvider>);
}
