/** The error with what was being done before its text, as upstream writes errors. */
export function wrapError(context: string, error: unknown): Error {
  return new Error(`${context}, ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}
