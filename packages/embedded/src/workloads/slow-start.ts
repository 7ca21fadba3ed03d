/**
 * Calls `write` up to `count` times, one at first and then twice as many at a time, so that few calls are made if all
 * fail. After the first batch with a failure it stops, reports how many were not tried, and throws the first error.
 */
export async function slowStart(
  count: number,
  write: (index: number) => Promise<void>,
  onSkipped: (count: number) => void,
): Promise<void> {
  for (let done = 0, size = 1; done < count; done += size, size = Math.min(2 * size, count - done)) {
    const batch = Array.from({ length: size }, (_, i) => write(done + i));
    const failure = (await Promise.allSettled(batch)).find((outcome) => outcome.status === 'rejected');
    if (failure === undefined) continue;
    onSkipped(count - done - size);
    throw failure.reason;
  }
}

/** Calls `write` for each at once, waits for all, then throws the first error. */
export async function forAll<T>(items: readonly T[], write: (item: T) => Promise<void>): Promise<void> {
  const outcomes = await Promise.allSettled(items.map(write));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
