/** Whether the error, or one in its chain of causes, passes the test. */
export function isCausedBy(error: unknown, test: (error: unknown) => boolean): boolean {
  for (let at = error; at !== undefined; at = at instanceof Error ? at.cause : undefined) {
    if (test(at)) return true;
  }
  return false;
}

/** Finds the error of this class in a chain of causes, however often it was wrapped. */
export function findCause<E extends Error>(error: unknown, type: abstract new (...args: never[]) => E): E | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof type) return cause;
    if (cause instanceof AggregateError) {
      for (const part of cause.errors) {
        const found = findCause(part, type);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}
