/** How many letters may differ before two names are two names. */
const MAX_TYPOS = 2;

/** The name among `known` that `written` is most likely a slip of, if any. */
export function findNearMiss(written: string, known: readonly string[]): string | undefined {
  const lower = written.toLowerCase();
  const limit = Math.min(MAX_TYPOS, Math.floor(written.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of known) {
    const distance = name.toLowerCase() === lower ? 0 : editDistance(lower, name.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Letters to insert, drop, change or swap, up to `limit`; `limit` stands for "that many or more". */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(change, row[j]! + 1, next[j - 1]! + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, previous[j - 2]! + 1);
      next.push(cost);
    }
    [previous, row] = [row, next];
  }
  return Math.min(row[b.length]!, limit);
}
