#!/usr/bin/env node
// `node run.js ARGS…` is `node ARGS…` with the pinned Node. Caches hand out frozen objects: a test that changes one fails.
// Property tests have a fixed seed.
import { launch } from './launch.js';

const args = process.argv.slice(2);
const seed = new URL('../../../tools/property-seed.ts', import.meta.url).href;
const preloads = args.includes('--test') ? ['--import', seed] : [];
launch([...preloads, ...args], { ...process.env, KARPENTER_FREEZE: process.env.KARPENTER_FREEZE ?? '1' });
