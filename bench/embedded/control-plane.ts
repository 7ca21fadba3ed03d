import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  Client,
  findConnection,
  HttpsTransport,
  nullLogger,
  realClock as clock,
  type Transport,
} from '@karpenter-ts/runtime';

/** `karpenter up` in a process of its own. */
export interface ControlPlane {
  /** From the start of the process until it serves. */
  readonly startSeconds: number;
  readonly kubeconfigPath: string;
  readonly transport: Transport;
  readonly client: Client;
  rssMegabytes(): number;
  /** Since its start. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

const UP = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url));
/** As the launcher sets it: only the first start compiles. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'bench-embedded-compiled');

export async function startControlPlane(nodes = 0): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-embedded-'));
  const env = { KUBECONFIG: join(folder, 'kubeconfig') };
  const started = performance.now();
  const args = ['--no-controller', '--nodes', String(nodes), '--kubeconfig', env.KUBECONFIG];
  const child = spawn(process.execPath, [UP, 'up', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, KARPENTER_FREEZE: '0', NODE_COMPILE_CACHE }, // freezing is for tests
  });
  await untilUp(child);
  const startSeconds = (performance.now() - started) / 1000;
  const transport = new HttpsTransport({ connection: await findConnection({ env }), clock, logger: nullLogger, env });
  return {
    startSeconds,
    kubeconfigPath: env.KUBECONFIG,
    transport,
    client: new Client({ transport, clock, userAgent: 'karpenter/bench' }),
    rssMegabytes: () => residentMegabytes(child.pid ?? 0),
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    stop: async () => {
      transport.close();
      child.kill('SIGINT');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilUp(child: ChildProcess): Promise<void> {
  for await (const line of createInterface(child.stdout!)) if (line.startsWith('Ctrl-C')) return;
  throw new Error('karpenter up ended before it was up');
}

function residentMegabytes(pid: number): number {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}

/**
 * User and system time are the 14th and 15th field, in hundredths of a second. The 2nd is the process name, which may
 * contain spaces.
 */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** How long Node itself takes to run an empty program. */
export async function nodeSeconds(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0']), 'exit');
  return (performance.now() - started) / 1000;
}
