import type { ContractClients } from './clients.ts';

/** One thing that we rely on when we call AWS, named by a sentence, with the check for it. */
export interface ContractCase {
  readonly name: string;
  /** The services that it calls, by their signing names. */
  readonly services: readonly string[];
  /** Where it does not hold, and why. It is run there all the same, and fails if it has come to hold. */
  readonly notOn?: { readonly moto?: string };
  run(aws: ContractContext): Promise<void>;
}

/**
 * What a case can use. Cases run at the same time in one account and region: they give names of their own to all they
 * make, and look for nothing else.
 */
export interface ContractContext extends ContractClients {
  /** Makes `name` unique to this case and run. */
  unique(name: string): string;
  /** With a virtual clock it takes no real time. */
  sleep(milliseconds: number): Promise<void>;
  /**
   * Calls `ask` until it returns something other than undefined or false, and returns that. Errors count as not yet,
   * because AWS tells of changes late. Throws, with `what` and the last outcome, after a time limit.
   */
  eventually<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T>;
  /** Registers a clean-up that runs when the case has ended, whatever its outcome. Its errors are ignored. */
  defer(cleanUp: () => Promise<unknown>): void;
}
