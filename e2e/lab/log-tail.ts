import { readFileSync } from 'node:fs';

/** The last lines of a log, indented for use below a message; says so if there are none. */
export function logTail(path: string, lines = 20): string {
  const all = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines);
  return all.join('') === '' ? '  (it wrote no log)' : all.map((line) => `  ${line}`).join('\n');
}
