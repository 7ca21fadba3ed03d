/** Runs `work` on every item, at most `limit` at a time. Returns everything that was thrown, in no particular order. */
export async function runParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const queue = items.values(); // shared: each worker takes the next
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return errors;
}
