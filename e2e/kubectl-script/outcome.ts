import type { Step } from './step.ts';

/** How a call of kubectl ended and what it printed. */
export interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Letters of generated names and hashes: no vowels, nothing that looks like something else. */
const LETTER = '[bcdfghjklmnpqrstvwxz2456789]';

/** Patterns of random or time-dependent text with their replacements, applied in this order. */
const CHANCE: readonly (readonly [RegExp, string])[] = [
  [/(patch: Invalid value: )".*"(?=: strict)/g, '$1OBJECT'], // whole, its keys in some order
  [/https:\/\/127\.0\.0\.1:\d+/g, 'SERVER'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  [/\b10\.\d+\.\d+\.\d+\b/g, 'IP'],
  [/(resourceVersion: |Resource Version: +)"?\d+"?/g, '$1VERSION'],
  [/\(x\d+ over [^)]*\)/g, ''], // a repeated event may have been seen once or twice by now
  [/((?:pod-template|controller-revision)-hash[=:] ?)\S+/g, '$1HASH'],
  [new RegExp(`-${LETTER}{8,10}\\b(-${LETTER}{5}\\b)?`, 'g'), '-HASH'],
  [new RegExp(`(-HASH|\\b[a-z]+)-${LETTER}{5}\\b`, 'g'), '$1-SUFFIX'],
  [/(?<!: *|for )\b(\d+[smhd])+(?=\s|$|\))/gm, 'AGE'], // behind a colon it is a setting
  [/\/tmp\/\S+/g, 'FILE'],
  [/(\S)[ \t]{2,}/g, '$1  '], // the width of columns follows from the above
  [/[ \t]+$/gm, ''],
];

/** The outcome with everything replaced that differs between runs, as far as the step compares it. */
export function comparable({ exitCode, stdout, stderr }: Outcome, { sorted, keep }: Step): Outcome {
  const normalize = (text: string): string => {
    const plain = CHANCE.reduce((done, [chance, name]) => done.replaceAll(chance, name), text);
    const lines = plain.split('\n').filter((line) => keep === undefined || keep.test(line));
    return (sorted ? lines.sort() : lines).join('\n');
  };
  return { exitCode, stdout: normalize(stdout), stderr: normalize(stderr) };
}
