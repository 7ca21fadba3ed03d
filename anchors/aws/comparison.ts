// How an answer of ours is laid beside upstream's: every field counts, objects are unordered, lists are ordered.
import { isDeepStrictEqual } from 'node:util';

/** One line of a file of recorded results. */
export interface Line {
  readonly id: string;
  readonly input: unknown;
  readonly want: unknown;
}

/** Gives what our provider answers to the input of a line, in the form of its `want`. */
export interface Comparer {
  /** How many lines the file of this repository has, so that one that was cut off does not pass. */
  readonly lines: number;
  /** May throw: then the line has failed. */
  answer(input: unknown): unknown;
  /** Brings `want` and an answer into the form in which they are compared, where the plain value will not do. */
  normalize?(value: unknown): unknown;
}

/** The paths at which two values differ, each with both sides; empty if they are equal. At most a few are listed. */
export function differences(ours: unknown, want: unknown, path = ''): readonly string[] {
  if (isDeepStrictEqual(ours, want)) return [];
  const isList = Array.isArray(ours) && Array.isArray(want);
  const areObjects = isRecord(ours) && isRecord(want);
  if (!isList && !areObjects) return [`${path || '.'}: ours ${short(ours)}, upstream ${short(want)}`];
  const keys = new Set([...Object.keys(ours), ...Object.keys(want)]);
  const [a, b] = [ours, want] as readonly Readonly<Record<string, unknown>>[];
  return [...keys].flatMap((key) => differences(a?.[key], b?.[key], path === '' ? key : `${path}.${key}`));
}

/** Without keys whose value is undefined: the same JSON. */
export function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LONGEST = 160;

function short(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
