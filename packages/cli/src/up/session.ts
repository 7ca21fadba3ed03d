import { randomInt } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { type Cluster, simulatedNode, startCluster } from '@karpenter-ts/embedded';
import { createLogger, listenForStop, realClock, type SignalSource } from '@karpenter-ts/runtime';
import type { Io } from '../io.ts';
import { renderCluster } from '../render/up.ts';
import { withoutEchoes } from './signal-echoes.ts';

interface Settings {
  /** 0 is any free one. */
  readonly port: number;
  /** To begin with. */
  readonly nodes: number;
  /** A file of its own unless told; it must not exist. */
  readonly kubeconfig?: string;
}

const ZONES = ['zone-a', 'zone-b', 'zone-c'];

/** Runs a cluster until a signal or a failure ends it. Throws, in words for the user, what keeps it from running. */
export async function runCluster(flags: Settings, io: Io, signals: SignalSource): Promise<void> {
  if (flags.kubeconfig !== undefined && existsSync(flags.kubeconfig)) {
    throw new Error(`${flags.kubeconfig} exists already, and would be gone at the end; name another file`);
  }
  const source = withoutEchoes(signals, realClock);
  const folder = flags.kubeconfig === undefined ? await mkdtemp(join(tmpdir(), 'karpenter-')) : undefined;
  const kubeconfigPath = folder ? join(folder, 'kubeconfig') : resolve(flags.kubeconfig ?? '');
  const remains = folder ?? kubeconfigPath;
  const exit = (code: number): void => {
    rmSync(remains, { recursive: true, force: true }); // in a hurry, but the token should not stay
    source.exit(code);
  };
  const stop = listenForStop({
    on: (...listen) => source.on(...listen),
    off: (...listen) => source.off(...listen),
    exit,
  });
  try {
    const cluster = await start(flags, kubeconfigPath, io);
    io.stdout.write(renderCluster(cluster, flags.nodes, RESOURCES.kwok));
    const stopped = new Promise<void>((done) => stop.signal.addEventListener('abort', () => done(), { once: true }));
    await Promise.race([stopped, cluster.stopped]);
    if (stop.signal.aborted) io.stderr.write('stopping\n');
    await cluster.stop();
  } finally {
    stop.dispose();
    await rm(remains, { recursive: true, force: true });
  }
}

async function start({ port: wanted, nodes }: Settings, kubeconfigPath: string, io: Io): Promise<Cluster> {
  const write = (line: string): void => void io.stderr.write(line);
  try {
    return await startCluster({
      clock: realClock,
      seed: randomInt(2 ** 31),
      crds: RESOURCES.kwok.map(customResourceDefinition),
      nodes: Array.from({ length: nodes }, (_, i) => {
        return simulatedNode({ name: `node-${i + 1}`, zone: ZONES[i % ZONES.length] ?? '' });
      }),
      listen: { port: wanted, kubeconfigPath },
      logger: createLogger({ level: 'error', clock: realClock, write, format: 'console' }),
    });
  } catch (error) {
    throw explained(error, wanted, dirname(kubeconfigPath));
  }
}

/** What the user can do about it, where we know. */
function explained(error: unknown, wanted: number, folder: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new Error(`port ${wanted} is in use; --port 0 takes any free one`, { cause: error });
  if (code === 'EACCES' && wanted > 0 && wanted < 1024) return new Error(`port ${wanted} needs root`, { cause: error });
  if (code === 'ENOENT') return new Error(`there is no folder ${folder} for the kubeconfig`, { cause: error });
  return error;
}
