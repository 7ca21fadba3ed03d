#!/usr/bin/env node
// `node run.js ARGS…` is `node ARGS…` with the pinned Node. Caches hand out frozen objects: a test that changes one fails.
import { launch } from './launch.js';

launch(process.argv.slice(2), { ...process.env, KARPENTER_FREEZE: process.env.KARPENTER_FREEZE ?? '1' });
