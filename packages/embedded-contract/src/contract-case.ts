import type { Client, SteadyClock, Transport } from '@karpenter-ts/runtime';

/** One guarantee of a control plane, named by a sentence, with the check for it. */
export interface ContractCase {
  readonly name: string;
  run(context: ContractContext): Promise<void>;
}

/**
 * What a case can use of the control plane under test. Cases may run at the same time, so the names they use must be
 * unique.
 */
export interface ContractContext {
  readonly client: Client;
  /** For requests that the client would not send. */
  readonly transport: Transport;
  /** The clock of the control plane: with a virtual one, waiting takes no real time. */
  readonly clock: SteadyClock;
  /** An empty namespace of the case's own. Workloads and pods in it are removed when the case has ended. */
  readonly namespace: string;
  /** Makes `name` unique to this case, for cluster-scoped objects. A valid DNS label if `name` is short. */
  unique(name: string): string;
  /**
   * Registers a clean-up that runs when the case has ended, whatever its outcome, in reverse order. Errors for missing
   * objects are ignored.
   */
  defer(cleanUp: () => Promise<unknown>): void;
  /**
   * Calls `ask` until it returns something other than undefined or false, and returns that. Errors count as not yet.
   * Throws, with `what` and the last outcome, after a time limit.
   */
  until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T>;
}
