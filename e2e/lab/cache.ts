import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * The folder that holds all the lab writes, always outside the work tree: `bin` (binaries, kept), `build` (builds
 * under way), `locks`, and `run` (one folder per running lab).
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.KARPENTER_LAB_CACHE) return resolve(env.KARPENTER_LAB_CACHE);
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'karpenter-ts', 'lab');
}
