/** What happens at a call: its caller is killed before AWS carries it out, or after. */
export interface AwsKill {
  readonly when: 'before' | 'after';
  readonly downFor: number;
}

interface Pending extends AwsKill {
  passing: number;
}

const WRITE = /^(Create|Delete|Terminate|AddRole|RemoveRole)/;

/** Decides at which calls to AWS the caller dies. It outlives the operators that call. */
export class AwsCallInjector {
  #pending: readonly Pending[] = [];
  #count = 0;

  /** How many callers it has killed so far. */
  get injectedCount(): number {
    return this.#count;
  }

  /** Kills whoever makes the nth call from now on that changes something. */
  killAtWrite(nth: number, when: AwsKill['when'], downFor: number): void {
    this.#pending = [...this.#pending, { when, downFor, passing: nth - 1 }];
  }

  heal(): void {
    this.#pending = [];
  }

  next(operation: string): AwsKill | undefined {
    if (!WRITE.test(operation)) return undefined;
    for (const one of this.#pending) {
      if (one.passing-- > 0) continue;
      this.#count++;
      this.#pending = this.#pending.filter((other) => other !== one);
      return one;
    }
    return undefined;
  }
}
