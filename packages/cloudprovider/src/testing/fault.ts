/** What goes wrong with one call to a provider. */
export type Fault =
  /** It rejects, and nothing was done. */
  | { readonly kind: 'Refusal'; readonly error: Error }
  /** It is done, but the answer is lost: the caller sees only the error. */
  | { readonly kind: 'LostAnswer'; readonly error: Error }
  /** It is done, and the answer is this, whatever it is. */
  | { readonly kind: 'Garbage'; readonly answer: unknown }
  /** It is done so many milliseconds later. */
  | { readonly kind: 'Delay'; readonly delay: number };

/** Rejects with this error. */
export function refuse(error: Error): Fault {
  return { kind: 'Refusal', error };
}

/** What a cloud says that was asked too often. */
const THROTTLED = 'request limit exceeded';

/** Rejects for being asked too often. */
export function throttle(): Fault {
  return refuse(new Error(THROTTLED));
}

/** Does what was asked and then times out. */
export function loseAnswer(error: Error = new Error('context deadline exceeded')): Fault {
  return { kind: 'LostAnswer', error };
}

/** Does what was asked and answers something else. */
export function garble(answer: unknown): Fault {
  return { kind: 'Garbage', answer };
}

/** Does what was asked after `delay` milliseconds. */
export function slowDown(delay: number): Fault {
  return { kind: 'Delay', delay };
}

/** The same for so many calls in a row. */
export function repeat(times: number, fault: Fault): readonly Fault[] {
  return Array.from({ length: times }, () => fault);
}
