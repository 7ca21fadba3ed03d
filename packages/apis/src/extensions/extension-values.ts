import { DurationError, goQuote, nanosToMilliseconds, parseDuration } from '@karpenter-ts/kubernetes';
import { problem, type Reading, value } from './extension-annotation.ts';
import { findNearMiss } from '../names/near-miss.ts';
import { findPercentage } from './percentage.ts';

/** `true` or `false`, and nothing else. */
export function readBoolean(text: string): Reading<boolean> {
  if (text === 'true' || text === 'false') return value(text === 'true');
  return problem(`${goQuote(text)} is neither true nor false`);
}

/** A Go duration above zero, in milliseconds. */
export function readDuration(text: string): Reading<number> {
  const duration = findDuration(text);
  if (duration === undefined) return problem(`${goQuote(text)} is not a duration such as 90s or 1h30m`);
  return duration > 0 ? value(duration) : problem(`${goQuote(text)} is not a duration above 0`);
}

/** A Go duration in milliseconds, which may be 0; undefined if the text is none. */
export function findDuration(text: string): number | undefined {
  try {
    const nanos = parseDuration(text);
    return nanos < 0n ? undefined : nanosToMilliseconds(nanos);
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}

/** The part of a whole that a percentage is, at most `highest`. */
export function readPercentage(text: string, highest = 1): Reading<number> {
  const part = findPercentage(text);
  if (part === undefined) return problem(`${goQuote(text)} is not a percentage such as 7.5%`);
  return part > highest ? problem(`${goQuote(text)} is more than ${highest * 100}%`) : value(part);
}

/** Names by commas, each one of those known and written once. */
export function readList<T extends string>(text: string, known: readonly T[]): Reading<ReadonlySet<T>> {
  const found = new Set<T>();
  for (const name of splitList(text)) {
    const item = known.find((one) => one === name);
    if (item === undefined) return problem(unknownName(name, known));
    if (found.has(item)) return problem(`${goQuote(item)} is written twice`);
    found.add(item);
  }
  return value(found);
}

/** The items of a list by commas, without the blanks around them. */
export function splitList(text: string): readonly string[] {
  return text.split(',').map((item) => item.trim());
}

/** `"x" is none of a, b, c, did you mean b?` */
export function unknownName(name: string, known: readonly string[]): string {
  const meant = findNearMiss(name, known);
  return `${goQuote(name)} is none of ${known.join(', ')}${meant === undefined ? '' : `, did you mean ${meant}?`}`;
}
