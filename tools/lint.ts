// The check of `npm run lint` that knows this repository: which package and folder may import which.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLayerViolations } from './layers.ts';

const ROOT = join(import.meta.dirname, '..');

const files = globSync('{packages,e2e,worlds,bench,tools}/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })
  .sort()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const problems = findLayerViolations(files);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
