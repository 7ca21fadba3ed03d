#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { launch } from './launch.js';

launch([fileURLToPath(import.meta.resolve('../src/bin.ts')), ...process.argv.slice(2)]);
