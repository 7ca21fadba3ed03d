import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buildComponent } from '../lab/build.ts';
import type { Lab } from '../lab/lab.ts';

/** A line of the controller's log. */
interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly error?: string;
}

/** Upstream's AWS controller, in a process of its own. */
export interface UpstreamController {
  readonly lines: readonly LogLine[];
  readonly isRunning: boolean;
  stop(): Promise<void>;
}

/** Builds it if it is not in the cache, and starts it with the environment of its chart. */
export async function startUpstream(lab: Lab, env: Readonly<Record<string, string>>): Promise<UpstreamController> {
  const { path } = await buildComponent('karpenter-aws', {
    onProgress: (line) => void process.stderr.write(`${line}\n`),
  });
  const child = spawn(path, [], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent', // neither profiles nor a kubeconfig of whoever runs this
      KUBECONFIG: lab.kubeconfigPath,
      KUBERNETES_MIN_VERSION: '1.19.0-0',
      SYSTEM_NAMESPACE: 'kube-system',
      DISABLE_LEADER_ELECTION: 'true',
      CPU_REQUESTS: '1000',
      MEMORY_LIMIT: String(1024 ** 3),
      METRICS_PORT: '0',
      HEALTH_PROBE_PORT: '0',
      LOG_LEVEL: 'debug',
      ...env,
    },
  });
  const lines: LogLine[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => lines.push(lineOf(line)));
  }
  const exited = once(child, 'exit');
  return {
    lines,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A panic is no JSON. */
function lineOf(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: 'ERROR', message: text };
  }
}
