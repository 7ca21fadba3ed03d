import type { Difference } from './differences.ts';

/** A difference that is right, and why. */
interface KnownDifference {
  /** Of the guides that it is in; all unless given. */
  readonly guides?: readonly string[];
  readonly path: RegExp;
  readonly reason: string;
}

const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];

export function findReason({ guide, path }: Difference): string | undefined {
  return KNOWN_DIFFERENCES.find((known) => known.path.test(path) && (known.guides?.includes(guide) ?? true))?.reason;
}
