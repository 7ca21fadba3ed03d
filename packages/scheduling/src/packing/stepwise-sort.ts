/** How many are sorted, or merged, between two chances to pause: less than five milliseconds of work. */
const STEP = 4096;

/** What `toSorted` returns, with pauses: sorting 50,000 pods in one go would hold up a host's event loop for 50 ms. */
export function* sortStepwise<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, readonly T[], undefined> {
  let runs: (readonly T[])[] = [];
  for (let from = 0; from < items.length; from += STEP) {
    yield;
    runs.push(items.slice(from, from + STEP).sort(compare));
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let i = 0; i < runs.length; i += 2) {
      yield;
      merged.push(i + 1 < runs.length ? merge(runs[i]!, runs[i + 1]!, compare) : runs[i]!);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function merge<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  const merged: T[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) merged.push(compare(a[i]!, b[j]!) <= 0 ? a[i++]! : b[j++]!);
  while (i < a.length) merged.push(a[i++]!);
  while (j < b.length) merged.push(b[j++]!);
  return merged;
}
