/** Whether an error, or one it was made from, passes the test: those in between wrap freely, catchers do not care. */
export function isCausedBy(error: unknown, test: (error: unknown) => boolean): boolean {
  for (let at = error; at !== undefined; at = at instanceof Error ? at.cause : undefined) {
    if (test(at)) return true;
  }
  return false;
}

/** The error of this class in a chain of causes, however deep: whoever passes it on may wrap it. */
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
