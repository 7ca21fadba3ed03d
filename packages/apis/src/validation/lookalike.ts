import type { ProviderProfile } from '../names/provider-profile.ts';

/**
 * The well-known label this key was probably meant to be: the same name in another domain or spelling
 * (`eks.amazonaws.com/capacityType`), or at most two typing errors away. `undefined` for well-known keys themselves.
 */
export function findLookalike(key: string, profile: ProviderProfile): string | undefined {
  if (profile.wellKnownLabels.has(key)) return undefined;
  const name = bareName(key);
  const known = [...profile.wellKnownLabels].sort();
  return known.find((label) => bareName(label) === name) ?? known.find((label) => isNear(label, key));
}

function bareName(key: string): string {
  return key
    .slice(key.lastIndexOf('/') + 1)
    .replace(/[-_.]/g, '')
    .toLowerCase();
}

const MAX_TYPOS = 2;

/** Whether inserting, deleting or replacing at most two characters makes one of the other (Levenshtein). */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > MAX_TYPOS) return false;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]! <= MAX_TYPOS;
}
