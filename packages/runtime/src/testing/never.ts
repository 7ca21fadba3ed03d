/** A signal that never aborts. */
export const NEVER: AbortSignal = new AbortController().signal;
