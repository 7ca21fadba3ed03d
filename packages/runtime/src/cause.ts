/** Whether an error, or one it was made from, passes the test: those in between wrap freely, catchers do not care. */
export function isCausedBy(error: unknown, test: (error: unknown) => boolean): boolean {
  for (let at = error; at !== undefined; at = at instanceof Error ? at.cause : undefined) {
    if (test(at)) return true;
  }
  return false;
}
