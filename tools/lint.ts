// The checks of `npm run lint` that know this repository: which package and folder may import which, and which words we
// have given up.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLayerViolations } from './layers.ts';
import { findGivenUpWords } from './words.ts';

const ROOT = join(import.meta.dirname, '..');

const files = globSync('{packages,e2e,worlds,bench,tools}/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })
  .sort()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
/** They tell of the words themselves. */
const WORD_LISTS = new Set(['tools/words.ts', 'tools/words.test.ts']);

const problems = [
  ...findLayerViolations(files),
  ...findGivenUpWords(files.filter(({ path }) => !WORD_LISTS.has(path))),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
