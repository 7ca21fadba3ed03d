/**
 * What differs from one attempt to the next although the same is wrong: the end of the name of an instance profile, the
 * times of a signature that has expired, and the address that was tried of those that a name has.
 */
const PASSING = [
  /(?<=_)\d{6,20}\b/g,
  /\b\d{8}T\d{6}Z/g,
  /\b(?:\d{1,3}\.){3}\d{1,3}:\d+\b/g,
  /(?<![\w:])(?:[\da-f]{0,4}:){3,}[\da-f.]+/gi,
];

/**
 * The text of an error for the message of a condition. A message that changes with each attempt is written each time, and
 * each write starts the next attempt at once: there would be no end of either.
 */
export function lastingText(text: string): string {
  return PASSING.reduce((kept, passing) => kept.replaceAll(passing, '*'), text);
}
