import type { Client, SteadyClock, Transport } from '@karpenter-ts/runtime';

/** One promise of a control plane, in a sentence, and how to see that it is kept. */
export interface ContractCase {
  readonly name: string;
  run(context: ContractContext): Promise<void>;
}

/** What a case has of the control plane it runs against. Others may run at the same time: names must be its own. */
export interface ContractContext {
  readonly client: Client;
  /** For requests the client would not make. */
  readonly transport: Transport;
  /** The control plane's: waiting costs real time only where that is real. */
  readonly clock: SteadyClock;
  /** An empty namespace of the case's own. Workloads and pods in it are removed when the case has ended. */
  readonly namespace: string;
  /** `name` made this case's own, for what has no namespace. A valid DNS label if `name` is short. */
  unique(name: string): string;
  /** Runs when the case has ended, however it did; the last first. Failures to find what is gone do not count. */
  defer(cleanUp: () => Promise<unknown>): void;
  /**
   * Asks until the answer is neither undefined nor false, and returns it. A refusal to answer counts as not yet. Throws,
   * with `what` and the last answer, when that takes longer than a minute.
   */
  until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T>;
}
