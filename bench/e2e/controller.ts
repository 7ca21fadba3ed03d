import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { heapFlags } from '../../packages/cli/bin/launch.js';
import { messageFrom } from '../runtime/children.ts';
import type { ProcessFigures } from './probe-process.ts';

/** `karpenter controller` in a process of its own. */
export interface MeasuredController {
  /** Since the last call. */
  figures(): Promise<ProcessFigures>;
  stop(): Promise<void>;
}

const BIN = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url));
const PROBE = fileURLToPath(new URL('./probe-process.ts', import.meta.url));
/** What its container has; the launcher sets the heap by it. */
const MEMORY_LIMIT = String(512 * 1024 * 1024);

/**
 * Starts the controller with upstream's defaults and these settings, as in a container of 512 MiB. BENCH_CONTROLLER_LOG keeps its log.
 */
export function startController(
  kubeconfigPath: string,
  settings: Readonly<Record<string, string>> = {},
  provider: 'aws' | 'kwok' = 'kwok',
): MeasuredController {
  const log = process.env['BENCH_CONTROLLER_LOG'];
  const flags = [...heapFlags({ MEMORY_LIMIT }), '--import', PROBE];
  const child = spawn(process.execPath, [...flags, BIN, 'controller', '--provider', provider], {
    stdio: ['ignore', log === undefined ? 'ignore' : openSync(log, 'a'), 'inherit', 'ipc'],
    env: {
      ...process.env,
      KARPENTER_FREEZE: '0', // freezing is for tests
      KUBECONFIG: kubeconfigPath,
      MEMORY_LIMIT,
      DISABLE_LEADER_ELECTION: 'true',
      METRICS_PORT: '0',
      HEALTH_PROBE_PORT: '0',
      ...settings,
    },
  });
  const exited = once(child, 'exit');
  return {
    figures: async () => {
      child.send('report');
      return await messageFrom<ProcessFigures>(child);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
