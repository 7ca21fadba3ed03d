import { createHash } from 'node:crypto';
import { HOUR } from '../../clock.ts';
import { ApiError } from '../../wire/api-error.ts';

interface Remembered {
  readonly input: string;
  readonly output: object;
  readonly at: number;
}

/** EC2 promises to know a client token for a day at least. */
const REMEMBERED_FOR = 24 * HOUR;

/** What was answered to requests with a client token: a repetition of the request gets the same answer, and does nothing. */
export class Idempotency {
  readonly #clock: { now(): number };
  /** In the order of their time, so that the oldest are forgotten first. */
  readonly #answers = new Map<string, Remembered>();

  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  /** Throws an ApiError if the token was used for something else. */
  once<Output extends object>(
    operation: string,
    input: { readonly ClientToken?: string | undefined },
    act: () => Output,
  ): Output {
    this.#forget();
    const { ClientToken } = input;
    if (ClientToken === undefined || ClientToken === '') return act();
    const key = `${operation}/${ClientToken}`;
    const digest = createHash('sha256').update(JSON.stringify(input)).digest('base64');
    const before = this.#answers.get(key);
    if (before === undefined) {
      const output = act();
      this.#answers.set(key, { input: digest, output, at: this.#clock.now() });
      return output;
    }
    if (before.input === digest) return before.output as Output;
    throw new ApiError(
      'IdempotentParameterMismatch',
      'The request uses the same client token as a previous, but non-identical request.',
    );
  }

  get size(): number {
    return this.#answers.size;
  }

  #forget(): void {
    const oldest = this.#clock.now() - REMEMBERED_FOR;
    for (const [key, { at }] of this.#answers) {
      if (at > oldest) return;
      this.#answers.delete(key);
    }
  }
}
