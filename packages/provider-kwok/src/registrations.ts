import {
  type CancellableClient,
  type CancellableClock,
  isAlreadyExists,
  type Logger,
  MILLISECOND,
  SECOND,
  unlessAborted,
} from '@karpenter-ts/runtime';
import { type Node, NODES } from '@karpenter-ts/kubernetes';

/** Waits between the first four tries to create a Node, which are upstream's. */
const RETRY_DELAYS: readonly number[] = [10 * MILLISECOND, 50 * MILLISECOND, 250 * MILLISECOND];

/** Then it goes on: after an outage of the API server a claim would be without its Node until its time is up. */
const PATIENT_DELAY = 5 * SECOND;

/** What creating Nodes takes. */
export interface RegistrationDeps {
  readonly client: CancellableClient;
  readonly clock: CancellableClock;
  readonly logger: Logger;
  /** Ends what is under way: nobody waits for it. */
  readonly stopping: AbortSignal;
}

interface Pending {
  readonly node: Node;
  readonly cancel: AbortController;
  done: Promise<void>;
}

/** Instances on their way into the cluster: launched, but without a Node yet. */
export class Registrations {
  readonly #deps: RegistrationDeps;
  readonly #pending = new Map<string, Pending>(); // by name of the Node

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /** Creates the Node after `delay` milliseconds, in the background. Nothing new if it is on its way already. */
  begin(node: Node, delay: number): void {
    const { name } = node.metadata;
    if (this.#pending.has(name)) return;
    const pending: Pending = { node, cancel: new AbortController(), done: Promise.resolve() };
    this.#pending.set(name, pending);
    pending.done = this.#register(pending, delay);
  }

  /** Keeps a Node that has not been created from being created. A request under way is waited for, to know its end. */
  async cancel(name: string, signal: AbortSignal): Promise<void> {
    const pending = this.#pending.get(name);
    pending?.cancel.abort();
    if (pending !== undefined) await unlessAborted(pending.done, signal);
  }

  find(name: string): Node | undefined {
    return this.#pending.get(name)?.node;
  }

  list(): readonly Node[] {
    return [...this.#pending.values()].map(({ node }) => node);
  }

  /** Never rejects. */
  async #register({ node, cancel }: Pending, delay: number): Promise<void> {
    const { clock, stopping } = this.#deps;
    const signal = AbortSignal.any([stopping, cancel.signal]);
    try {
      if (delay > 0) await clock.sleep(delay, signal);
      await this.#create(node, signal);
    } catch {
      // nobody wants it any more
    } finally {
      this.#pending.delete(node.metadata.name);
    }
  }

  /** Rejects only when it is called off. */
  async #create(node: Node, signal: AbortSignal): Promise<void> {
    const { client, clock, logger, stopping } = this.#deps;
    for (let failures = 0; ; failures++) {
      try {
        signal.throwIfAborted();
        await client.create(NODES, node, {}, stopping);
        return;
      } catch (error) {
        if (isAlreadyExists(error)) return; // by an earlier launch for the same claim: names follow from claims
        if (!signal.aborted && failures === RETRY_DELAYS.length)
          logger.error('failed creating node from nodeclaim', error, { Node: { name: node.metadata.name } });
        await clock.sleep(RETRY_DELAYS[failures] ?? PATIENT_DELAY, signal);
      }
    }
  }
}
