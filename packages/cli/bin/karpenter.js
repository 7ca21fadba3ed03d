#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { cacheFolder, launch } from './launch.js';

// The sources are stripped of their types and compiled once, not at every start: a third of the time, and 20 MB less.
const cache = cacheFolder(process.env);
if (cache !== undefined) module.enableCompileCache?.(cache); // for this process, if it is the one
launch([fileURLToPath(import.meta.resolve('../src/bin.ts')), ...process.argv.slice(2)], {
  ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }), // for a child
  ...process.env,
});
