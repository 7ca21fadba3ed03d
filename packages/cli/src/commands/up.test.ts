import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiObject, NODES, PODS } from '@karpenter-ts/kubernetes';
import { Client, findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { recordingIo } from '../testing-io.ts';
import { upCommand } from './up.ts';

const BIN = join(import.meta.dirname, '../bin.ts');
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

/** Waits until the output holds a match. */
async function untilOut({ io, running }: ReturnType<typeof run>, pattern: RegExp): Promise<void> {
  while (!pattern.test(io.out())) await Promise.race([running, sleep(10)]);
}

async function connectTo(kubeconfig: string) {
  const env = { KUBECONFIG: kubeconfig };
  const connection = await findConnection({ env });
  const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
  const client = new Client({ transport, clock: realClock, userAgent: 'test' });
  return { connection, client, close: () => transport.close() };
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
  const up = run('--no-controller', '--nodes', '2');
  const kubeconfig = await untilUp(up);
  assert.equal(statSync(kubeconfig).mode & 0o777, 0o600);

  const { connection, client, close } = await connectTo(kubeconfig);
  const { items } = await client.listAll(NODES);
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['node-1', 'node-2'],
  );
  const nodePools = { group: 'karpenter.sh', version: 'v1', plural: 'nodepools', kind: 'NodePool', namespaced: false };
  assert.equal(await client.serves(nodePools), true);
  close();

  up.interrupt();
  await up.running;
  assert.equal(existsSync(kubeconfig), false);
  assert.equal(existsSync(join(kubeconfig, '..')), false);
  assert.equal(await isOpen(Number(new URL(connection.server).port)), false);
});

test('09/102 up plays a scenario: pods go pending, nodes come, pods run, and Ctrl-C ends it all', async () => {
  const up = run('--pods', '12', '--speed', '10x');
  const kubeconfig = await untilUp(up);
  await untilOut(up, /pods {3}12 pending/);
  await untilOut(up, /nodes {2}\d+ ready: \d+ .*, \$\d+\.\d{4} an hour/);
  await untilOut(up, /pods {3}\d+ running\n/);
  assert.equal(up.io.out().includes('\u001b'), false);
  const { connection, client, close } = await connectTo(kubeconfig);
  const { items } = await client.listAll<ApiObject & { readonly spec: { readonly nodeName?: string } }>(PODS);
  assert.ok(items.filter(({ spec }) => spec.nodeName?.startsWith('kwok-')).length >= 12);
  close();
  up.interrupt();
  await up.running;
  assert.equal(up.io.err(), 'stopping\n');
  assert.equal(existsSync(join(kubeconfig, '..')), false);
  assert.equal(await isOpen(Number(new URL(connection.server).port)), false);
});

test('up --provider aws launches nodes of EC2, and serves AWS where it is told to', async () => {
  const file = join(folder, 'aws.yaml');
  const sample = readFileSync(join(import.meta.dirname, '../../../../samples/scenarios/ami-roll.yaml'), 'utf8');
  writeFileSync(file, sample.replace(/ {4}- \{at: (45|60)s.*\n/g, '').replace('steps:', 'steps: []'));
  const up = run(
    '--provider',
    'aws',
    '--aws-endpoint',
    '127.0.0.1:0',
    '--scenario',
    file,
    '--pods',
    '6',
    '--speed',
    '10x',
  );
  const kubeconfig = await untilUp(up);
  const [, endpoint = '', port = ''] = /AWS_ENDPOINT_URL=(http:\/\/127\.0\.0\.1:(\d+)) /.exec(up.io.out()) ?? [];
  assert.match(up.io.out(), /AWS is emulated at http/);
  await untilOut(up, /pods {3}6 running\n/);
  await untilOut(up, /nodes {2}1 ready: 1 m7[ig]\.xlarge on-demand, \$0\.\d{4} an hour/);
  const taken = run('--provider', 'aws', '--no-samples', '--aws-endpoint', `localhost:${port}`);
  await assert.rejects(taken.running, new RegExp(`--aws-endpoint: port ${port} is in use; 127\\.0\\.0\\.1:0 takes`));
  const answer = await fetch(endpoint, { method: 'POST', body: 'Action=DescribeInstances' });
  assert.equal(answer.status, 403); // it answers, and wants a signature
  up.interrupt();
  await up.running;
  assert.match(up.io.err(), /stopping\n$/);
  assert.equal(existsSync(join(kubeconfig, '..')), false);
  assert.equal(await isOpen(Number(port)), false);
});

test('up says what is wrong with --aws-endpoint', async () => {
  const bad = ['4566', '0.0.0.0:4566', 'example.com:4566', '127.0.0.1', '127.0.0.1:99999', '127.0.0.1:x', '[::1]:4566'];
  for (const address of bad) {
    await assert.rejects(
      run('--provider', 'aws', '--aws-endpoint', address).running,
      /--aws-endpoint <address:port>.*must be 127\.0\.0\.1 and a port, such as 127\.0\.0\.1:4566/,
      address,
    );
  }
  await assert.rejects(run('--aws-endpoint', '127.0.0.1:0').running, /--aws-endpoint is for --provider aws/);
  await assert.rejects(run('--provider', 'gcp').running, /Allowed choices are kwok, aws/);
});

test('up --no-samples leaves the cluster empty, with Karpenter in it', async () => {
  const up = run('--no-samples');
  const { client, close } = await connectTo(await untilUp(up));
  assert.match(up.io.out(), /Karpenter runs in it/);
  assert.deepEqual((await client.listAll(PODS)).items, []);
  close();
  up.interrupt();
  await up.running;
  await assert.rejects(
    run('--no-samples', '--scenario', 'scale-out').running,
    /cannot be used with option '--no-samples'/,
  );
});

test('up says what is wrong with a scenario before it starts anything', async () => {
  const file = join(folder, 'wrong.yaml');
  writeFileSync(file, 'apiVersion: karpenter-ts.dev/v1\nkind: Scenario\nmetadata: {name: a}\nspec: {workload: []}\n');
  const up = run('--scenario', file);
  await assert.rejects(
    up.running,
    /wrong\.yaml:4:\d+: error: Scenario "a": unknown field "spec.workload"\n.*did you mean spec.workloads/,
  );
  assert.equal(up.io.out(), '');
});

test('up ends when the cluster does not take what the scenario says', async () => {
  const file = join(folder, 'odd.yaml');
  const sample = readFileSync(join(import.meta.dirname, '../../../../samples/scenarios/slow-drain.yaml'), 'utf8');
  writeFileSync(file, sample.replace('terminationGracePeriodSeconds: 60', 'terminationGracePeriodSeconds: soon'));
  await assert.rejects(run('--scenario', file).running, /odd\.yaml:\d+: .*terminationGracePeriodSeconds/);
});

test('up refuses to replace a file, by whatever path it is named', async () => {
  const file = join(folder, 'precious');
  writeFileSync(file, 'mine');
  for (const path of [file, `${folder}/missing/../precious`, `${file}/`, folder]) {
    await assert.rejects(run('--kubeconfig', path).running, /exists already/, path);
  }
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
  await assert.rejects(run('--kubeconfig', join(folder, 'link')).running, /cannot be written: EEXIST/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  assert.equal(lstatSync(join(folder, 'link')).isSymbolicLink(), true);
});

test('up refuses an empty path for the kubeconfig, and removes nothing', async () => {
  for (const args of [['--kubeconfig', ''], ['--kubeconfig=']]) {
    await assert.rejects(run(...args).running, /must name a file/);
  }
});

test('up removes no file but the one it wrote', async () => {
  const file = join(folder, 'replaced');
  const up = run('--no-controller', '--nodes', '0', '--kubeconfig', file);
  await untilUp(up);
  rmSync(file);
  writeFileSync(file, 'mine');
  up.interrupt();
  await up.running;
  assert.equal(readFileSync(file, 'utf8'), 'mine');
});

test('up ends, with every port closed, when the kubeconfig cannot be written', async () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [BIN, 'up', '--no-samples', '--kubeconfig', join(folder, 'none', 'kubeconfig')],
    { encoding: 'utf8', timeout: 60_000 },
  );
  assert.equal(stderr, `karpenter: there is no folder ${join(folder, 'none')} for the kubeconfig\n`);
  assert.equal(status, 1);
});

test('up says which port is taken', async () => {
  const first = run('--no-samples', '--kubeconfig', join(folder, 'first'));
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

test('up takes a speed from 1x to 60x', async () => {
  for (const bad of ['0', '0.5x', '61x', 'fast', '-2x']) {
    await assert.rejects(run('--speed', bad).running, /must be a number from 1x to 60x/);
  }
});
