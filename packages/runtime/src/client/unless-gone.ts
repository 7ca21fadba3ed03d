import { isNotFound } from './status-error.ts';

/** Returns the answer to a request; undefined if the object no longer exists. */
export async function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
