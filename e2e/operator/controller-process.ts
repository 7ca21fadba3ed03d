import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { heapFlags } from '../../packages/cli/bin/launch.js';

/** A line of the log, with the fields a suite asks for. */
interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly error?: string;
  readonly controller?: string;
}

/** A `karpenter controller` from the sources, in a process of its own. */
export interface ControllerProcess {
  /** All it has logged so far. */
  readonly lines: readonly LogLine[];
  /** Resolves when it has exited, with its exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** True until it has ended. */
  readonly isRunning: boolean;
  signal(signal: NodeJS.Signals): void;
  /** Kills it with SIGKILL, and resolves when it is gone. */
  kill(): Promise<void>;
  /** Stops it with SIGTERM; rejects unless it exits with 0. */
  stop(): Promise<void>;
}

export type ProviderName = 'aws' | 'kwok';

const BIN = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url));
/** Of its container; the launcher sets the heap by it. */
const MEMORY_LIMIT = String(512 * 1024 * 1024);
/** It must not outlive the suite, even if that is killed: its channel to the suite closes then. */
const END_WITH_US = "data:text/javascript,process.on('disconnect',()=>process.exit(1))";

/** Starts it with upstream's defaults but for `env`. KARPENTER_E2E_LOG names a file that keeps all lines. */
export function startController(
  kubeconfigPath: string,
  env: Readonly<Record<string, string>> = {},
  provider: ProviderName = 'kwok',
): ControllerProcess {
  const flags = [...heapFlags({ MEMORY_LIMIT }), '--import', END_WITH_US];
  const child = spawn(process.execPath, [...flags, BIN, 'controller', '--provider', provider], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      KARPENTER_FREEZE: process.env['KARPENTER_FREEZE'],
      KUBECONFIG: kubeconfigPath,
      LEADER_ELECTION_NAMESPACE: 'kube-system',
      LOG_LEVEL: 'debug',
      MEMORY_LIMIT,
      METRICS_PORT: '0',
      HEALTH_PROBE_PORT: '0',
      ...env,
    },
  });
  const lines: LogLine[] = [];
  const keep = process.env['KARPENTER_E2E_LOG'];
  createInterface(child.stdout!).on('line', (line) => {
    if (keep !== undefined) appendFileSync(keep, `${line}\n`);
    lines.push(JSON.parse(line) as LogLine);
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return await exited;
  };
  return {
    lines,
    exited,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },
    signal: (signal) => void child.kill(signal),
    kill: async () => void (await end('SIGKILL')),
    stop: async () => {
      const code = await end('SIGTERM');
      assert.equal(code, 0, `it ended with ${code} after\n${lines.slice(-10).map(textOf).join('\n')}`);
    },
  };
}

function textOf({ level, message, error = '' }: LogLine): string {
  return `${level} ${message} ${error}`;
}
