import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiObject, NODES } from '@karpenter-ts/kubernetes';
import { Client, findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { untilReady } from './workload.ts';

/** Since the user pressed return. */
export interface StartFigures {
  readonly firstNodeSeconds: number;
  readonly allPodsSeconds: number;
}

/** What the default scenario begins with. */
const PODS = 500;
const POLL_MS = 50;
const ROOT = join(import.meta.dirname, '../..');

/** `npm start`, as a user runs it. */
export async function measureStart(): Promise<StartFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
  const env = { KUBECONFIG: join(folder, 'kubeconfig') };
  const started = performance.now();
  const child = spawn('npm', ['start', '--', '--kubeconfig', env.KUBECONFIG], {
    cwd: ROOT,
    stdio: 'ignore',
    env: { ...process.env, KARPENTER_FREEZE: '0' },
    detached: true, // a group of its own, which Ctrl-C goes to as a whole
  });
  const exited = once(child, 'exit');
  const seconds = (): number => (performance.now() - started) / 1000;
  try {
    while (!existsSync(env.KUBECONFIG)) await sleep(POLL_MS);
    const connection = await findConnection({ env });
    const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
    const client = new Client({ transport, clock: realClock, userAgent: 'karpenter/bench' });
    while (!(await hasReadyNode(client))) await sleep(POLL_MS);
    const firstNodeSeconds = seconds();
    await untilReady(client, PODS);
    const allPodsSeconds = seconds();
    transport.close();
    return { firstNodeSeconds, allPodsSeconds };
  } finally {
    process.kill(-child.pid!, 'SIGINT');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function hasReadyNode(client: Client): Promise<boolean> {
  type Node = ApiObject & {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  };
  const { items } = await client.listAll<Node>(NODES);
  return items.some(({ status }) => status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True'));
}
