import { isNotFound } from './status-error.ts';

/** The answer to a request; undefined if what it is about is gone, and with it the reason to ask. */
export async function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
