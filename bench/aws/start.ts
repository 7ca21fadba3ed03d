// How long the controller takes from its start to ready, on AWS as the emulator has it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { startCluster } from '@karpenter-ts/embedded';
import { realClock } from '@karpenter-ts/runtime';
import { type Row, rowOf } from '../report.ts';
import { messageFrom, startChild, stopChild } from '../runtime/children.ts';

const RUNS = 3;
const MOST_SECONDS = 60;
const KARPENTER = join(import.meta.dirname, '../../packages/cli/bin/karpenter.js');

/** From sources: the first run may compile them, so it is not counted. */
export async function measureStart(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'karpenter-start-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const crds = RESOURCES.aws.map(customResourceDefinition);
  const cluster = await startCluster({
    clock: realClock,
    seed: 1,
    crds,
    listen: { port: 0, kubeconfigPath: kubeconfig },
  });
  const server = startChild('../aws/emulator-server.ts', ['--real-time']);
  try {
    const { endpoint } = await messageFrom<{ endpoint: string }>(server);
    const runs: number[] = [];
    for (let run = 0; run <= RUNS; run++) runs.push(await startOnce({ kubeconfig, endpoint, folder }));
    return [rowOf('start of the controller until it is ready', 's', 3, runs.slice(1))];
  } finally {
    await Promise.all([stopChild(server), cluster.stop()]);
    rmSync(folder, { recursive: true });
  }
}

interface Place {
  readonly kubeconfig: string;
  readonly endpoint: string;
  readonly folder: string;
}

async function startOnce({ kubeconfig, endpoint, folder }: Place): Promise<number> {
  const port = randomInt(20_000, 30_000);
  const flags = ['--cluster-name=demo', '--cluster-endpoint=https://demo.example'];
  const ports = [`--health-probe-port=${port}`, '--metrics-port=0', '--disable-leader-election'];
  const begun = performance.now();
  const child = spawn(process.execPath, [KARPENTER, 'controller', ...flags, ...ports], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      KUBECONFIG: kubeconfig,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'AKIABENCH',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL: endpoint,
    },
  });
  try {
    await untilReady(`http://127.0.0.1:${port}/readyz`, child);
    return (performance.now() - begun) / 1000;
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + MOST_SECONDS * 1000;
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await sleep(20);
  }
  throw new Error(child.exitCode === null ? `not ready after ${MOST_SECONDS} s` : 'the controller ended');
}
