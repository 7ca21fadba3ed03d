import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { recordingIo } from '../testing-io.ts';
import { upCommand } from './up.ts';

const NODES = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
const folder = mkdtempSync(join(tmpdir(), 'karpenter-up-'));

/** The command, run by itself, and the switch that stands for Ctrl-C. */
function run(...args: readonly string[]) {
  const io = recordingIo();
  const signals = Object.assign(new EventEmitter(), { exit: () => assert.fail('forced') });
  const command = upCommand(io, signals)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const running = command.parseAsync([...args], { from: 'user' });
  return { io, running, interrupt: () => signals.emit('SIGINT', 'SIGINT') };
}

async function untilUp({ io, running }: ReturnType<typeof run>): Promise<string> {
  while (!io.out().includes('Ctrl-C')) await Promise.race([running, sleep(10)]);
  return /export KUBECONFIG='(.*)'/.exec(io.out())?.[1] ?? '';
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const open = await new Promise<boolean>((done) => {
    socket.once('connect', () => done(true)).once('error', () => done(false));
  });
  socket.destroy();
  return open;
}

test('up serves a cluster to its owner alone, and leaves nothing behind', async () => {
  const up = run('--nodes', '2');
  const kubeconfig = await untilUp(up);
  assert.equal(statSync(kubeconfig).mode & 0o777, 0o600);

  const env = { KUBECONFIG: kubeconfig };
  const connection = await findConnection({ env });
  const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
  const client = new Client({ transport, clock: realClock, userAgent: 'test' });
  const { items } = await client.listAll(NODES);
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['node-1', 'node-2'],
  );
  const nodePools = { group: 'karpenter.sh', version: 'v1', plural: 'nodepools', kind: 'NodePool', namespaced: false };
  assert.equal(await client.serves(nodePools), true);
  transport.close();

  up.interrupt();
  await up.running;
  assert.equal(existsSync(kubeconfig), false);
  assert.equal(existsSync(join(kubeconfig, '..')), false);
  assert.equal(await isOpen(Number(new URL(connection.server).port)), false);
});

test('up refuses to replace a file', async () => {
  const file = join(folder, 'precious');
  writeFileSync(file, 'mine');
  await assert.rejects(run('--kubeconfig', file).running, /exists already/);
  assert.equal(statSync(file).size, 4);
});

test('up says which port is taken', async () => {
  const first = run('--nodes', '0', '--kubeconfig', join(folder, 'first'));
  await untilUp(first);
  const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(first.io.out()) ?? [];
  await assert.rejects(run('--port', port).running, new RegExp(`port ${port} is in use`));
  first.interrupt();
  await first.running;
});

test('up takes whole numbers only', async () => {
  for (const bad of ['-1', '1.5', 'x', '99999']) {
    await assert.rejects(run('--port', bad).running, /must be a whole number/);
  }
});
