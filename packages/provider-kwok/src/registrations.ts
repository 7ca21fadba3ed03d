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

/**
 * The delay of later tries. They continue without limit, because after an outage of the API server the NodeClaim would
 * otherwise have no Node until its registration timeout.
 */
const LATER_RETRY_DELAY = 5 * SECOND;

/** What creating Nodes takes. */
export interface RegistrationDeps {
  readonly client: CancellableClient;
  readonly clock: CancellableClock;
  readonly logger: Logger;
  /** Aborts the creations that are under way when the process stops. */
  readonly stopping: AbortSignal;
}

interface Pending {
  readonly node: Node;
  readonly cancel: AbortController;
  done: Promise<void>;
}

/** Instances that were launched, and whose Node is not created yet. */
export class Registrations {
  readonly #deps: RegistrationDeps;
  readonly #pending = new Map<string, Pending>(); // by name of the Node

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /** Creates the Node in the background after `delay` milliseconds. Does nothing if that is under way already. */
  begin(node: Node, delay: number): void {
    const { name } = node.metadata;
    if (this.#pending.has(name)) return;
    const pending: Pending = { node, cancel: new AbortController(), done: Promise.resolve() };
    this.#pending.set(name, pending);
    pending.done = this.#register(pending, delay);
  }

  /** Cancels the creation of a Node. Waits for a request that is under way, to know its outcome. */
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
        await clock.sleep(RETRY_DELAYS[failures] ?? LATER_RETRY_DELAY, signal);
      }
    }
  }
}
