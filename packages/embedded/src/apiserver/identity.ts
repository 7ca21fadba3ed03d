/** A random number in [0, 1). With a seed, a run can be repeated. */
export type Random = () => number;

/** A pseudo-random number generator (xorshift32): good enough for names, not for secrets. */
export function xorshift32(seed: number): Random {
  let state = seed | 0 || 0x9e3779b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** A UUID of version 4. */
export function randomUid(random: Random): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  const variant = '89ab'[Math.floor(random() * 4)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The alphabet of Kubernetes: without vowels and similar characters, so that no words result. */
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_NAME = 63;

/** A name made from `metadata.generateName`. */
export function generateName(prefix: string, random: Random): string {
  let suffix = '';
  while (suffix.length < SUFFIX_LENGTH) suffix += SUFFIX_LETTERS[Math.floor(random() * SUFFIX_LETTERS.length)];
  return prefix.slice(0, LONGEST_NAME - SUFFIX_LENGTH) + suffix;
}
