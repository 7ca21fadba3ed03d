import { errorText } from '@karpenter-ts/runtime';

/** The error with what was being done in front of its text, as Go's errors have it. It stays the cause. */
export function withContext(context: string, cause: unknown): Error {
  return new Error(`${context}, ${errorText(cause)}`, { cause });
}

/** The result of the call; its error with what was being done in front. */
export async function within<T>(context: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw withContext(context, cause);
  }
}

/** The same for work that is done at once. */
export function during<T>(context: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw withContext(context, cause);
  }
}
