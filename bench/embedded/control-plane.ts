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
  readonly transport: Transport;
  readonly client: Client;
  rssMegabytes(): number;
  stop(): Promise<void>;
}

const UP = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url));
/** As the launcher sets it: only the first start compiles. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'bench-embedded-compiled');

export async function startControlPlane(nodes = 0): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-embedded-'));
  const env = { KUBECONFIG: join(folder, 'kubeconfig') };
  const started = performance.now();
  const child = spawn(process.execPath, [UP, 'up', '--nodes', String(nodes), '--kubeconfig', env.KUBECONFIG], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_COMPILE_CACHE },
  });
  await untilUp(child);
  const startSeconds = (performance.now() - started) / 1000;
  const transport = new HttpsTransport({ connection: await findConnection({ env }), clock, logger: nullLogger, env });
  return {
    startSeconds,
    transport,
    client: new Client({ transport, clock, userAgent: 'karpenter/bench' }),
    rssMegabytes: () => residentMegabytes(child.pid ?? 0),
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

/** What Node itself needs from start to end of an empty program. */
export async function nodeSeconds(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0']), 'exit');
  return (performance.now() - started) / 1000;
}
