import { type Client, type Clock, isAlreadyExists, type Logger, MILLISECOND } from '@karpenter-ts/runtime';
import type { KwokNode } from './node.ts';
import { NODES } from './resource-types.ts';

/** Waits between the four tries to create a Node. */
const RETRY_DELAYS: readonly number[] = [10 * MILLISECOND, 50 * MILLISECOND, 250 * MILLISECOND];

/** What creating Nodes takes. */
export interface RegistrationDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends what is under way: nobody waits for it. */
  readonly stopping: AbortSignal;
}

interface Pending {
  readonly node: KwokNode;
  readonly cancel: AbortController;
}

/** Machines on their way into the cluster: launched, but without a Node yet. */
export class Registrations {
  readonly #deps: RegistrationDeps;
  readonly #pending = new Map<string, Pending>(); // by name of the Node

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /** Creates the Node after `delay` milliseconds, in the background. Nothing new if it is on its way already. */
  begin(node: KwokNode, delay: number): void {
    const { name } = node.metadata;
    if (this.#pending.has(name)) return;
    const pending: Pending = { node, cancel: new AbortController() };
    this.#pending.set(name, pending);
    void this.#register(pending, delay);
  }

  /** Keeps a Node that has not been created from being created. */
  cancel(name: string): void {
    this.#pending.get(name)?.cancel.abort();
    this.#pending.delete(name);
  }

  find(name: string): KwokNode | undefined {
    return this.#pending.get(name)?.node;
  }

  list(): readonly KwokNode[] {
    return [...this.#pending.values()].map(({ node }) => node);
  }

  /** Never rejects. */
  async #register({ node, cancel }: Pending, delay: number): Promise<void> {
    const { clock, logger, stopping } = this.#deps;
    const signal = AbortSignal.any([stopping, cancel.signal]);
    try {
      if (delay > 0) await clock.sleep(delay, signal);
      await this.#create(node, signal);
    } catch (error) {
      if (!signal.aborted)
        logger.error('failed creating node from nodeclaim', error, { Node: { name: node.metadata.name } });
    } finally {
      if (!cancel.signal.aborted) this.#pending.delete(node.metadata.name);
    }
  }

  async #create(node: KwokNode, signal: AbortSignal): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        signal.throwIfAborted();
        await this.#deps.client.create(NODES, node, {}, signal);
        return;
      } catch (error) {
        if (isAlreadyExists(error)) return; // by an earlier launch for the same claim: names follow from claims
        const delay = RETRY_DELAYS[tries];
        if (signal.aborted || delay === undefined) throw error;
        await this.#deps.clock.sleep(delay, signal);
      }
    }
  }
}
