/** The signal of a call that nobody calls off. */
export const NEVER: AbortSignal = new AbortController().signal;
