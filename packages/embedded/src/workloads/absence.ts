import { isNotFound } from '@karpenter-ts/runtime';

/** What a call answers, or undefined if the object it is about is not there (any more). */
export async function ifPresent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
