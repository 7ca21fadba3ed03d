// The controller as it is without `--provider`, over the network, on AWS in the process.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { type Emulator, startEmulator, unauthorized } from '@karpenter-ts/aws-emulator';
import { startCluster } from '@karpenter-ts/embedded';
import { type ProcessEvents, realClock } from '@karpenter-ts/runtime';
import { recordingIo } from '../testing-io.ts';
import { runController } from './process.ts';

interface Environment {
  readonly emulator: Emulator;
  /** Runs the controller with these flags. */
  start(...flags: readonly string[]): {
    readonly io: ReturnType<typeof recordingIo>;
    readonly exited: Promise<number>;
    stop(): void;
  };
  /** What it has logged. */
  lines(): readonly Readonly<Record<string, string>>[];
  until(message: string): Promise<void>;
}

async function environment(t: TestContext): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), 'karpenter-aws-'));
  const [kubeconfig, log] = [join(folder, 'kubeconfig'), join(folder, 'log')];
  writeFileSync(log, '');
  const crds = RESOURCES.aws.map(customResourceDefinition);
  const listen = { port: 0, kubeconfigPath: kubeconfig };
  const cluster = await startCluster({ clock: realClock, seed: 1, crds, listen });
  const emulator = await startEmulator({ clock: realClock, seed: 1, listen: { port: 0 }, instanceTypes: ['m5.large'] });
  t.after(async () => {
    await Promise.all([cluster.stop(), emulator.stop()]);
    rmSync(folder, { recursive: true });
  });
  const env = {
    KUBECONFIG: kubeconfig,
    HOME: folder,
    AWS_REGION: emulator.place.region,
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL: emulator.endpoint!,
  };
  const own = ['--metrics-port=0', '--health-probe-port=0', '--disable-leader-election'];
  const start: Environment['start'] = (...flags) => {
    const source: ProcessEvents & EventEmitter = Object.assign(new EventEmitter(), {
      exit: () => assert.fail('forced'),
    });
    const io = recordingIo();
    const exited = runController([...own, `--log-output-paths=${log}`, ...flags], env, io, source);
    return { io, exited, stop: () => void source.emit('SIGTERM', 'SIGTERM') };
  };
  const lines: Environment['lines'] = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
  const until: Environment['until'] = async (message) => {
    const deadline = performance.now() + 60_000;
    while (!lines().some((line) => line['message'] === message)) {
      if (performance.now() > deadline) assert.fail(`no line says ${message}`);
      await sleep(20);
    }
  };
  return { emulator, start, lines, until };
}

const CLUSTER = ['--cluster-name=demo', '--cluster-endpoint=https://demo.example'];

test('it starts on AWS, runs the controllers of the provider, and stops without an error', async (t) => {
  const { start, lines, until } = await environment(t);
  const controller = start(...CLUSTER, '--log-level=debug');
  await until('hydrated launch template cache');
  await until('updated spot pricing with instance types and offerings');
  controller.stop();
  assert.equal(await controller.exited, 0);
  assert.deepEqual(
    lines().filter(({ level, controller: name }) => level === 'ERROR' && name !== 'providers.pricing'),
    [],
  );
});

test('with a queue it waits for messages of it, and stops without waiting for one', async (t) => {
  const { emulator, start, lines, until } = await environment(t);
  const controller = start(...CLUSTER, '--log-level=debug', '--interruption-queue=demo');
  await until('failed to create valid sqs provider');
  const { error, controller: name } = lines().find(({ message }) => message === 'failed to create valid sqs provider')!;
  assert.equal(name, 'interruption');
  assert.match(error!, /QueueDoesNotExist: The specified queue does not exist/);
  await createQueue(emulator, 'demo');
  await until('watching interruption queue');
  const begun = performance.now();
  controller.stop();
  assert.equal(await controller.exited, 0);
  assert.ok(performance.now() - begun < 10_000, 'a request for messages takes twenty seconds');
});

async function createQueue({ endpoint, place }: Emulator, QueueName: string): Promise<void> {
  const scope = `AKIATEST/20260101/${place.region}/sqs/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, Signature=0`;
  const headers = { authorization, 'x-amz-target': 'AmazonSQS.CreateQueue' };
  const { status } = await fetch(endpoint!, { method: 'POST', headers, body: JSON.stringify({ QueueName }) });
  assert.equal(status, 200);
}

test('05/24 without the right to ask EC2 it ends with 1 and says what failed', async (t) => {
  const { emulator, start, lines } = await environment(t);
  emulator.faults.inject(unauthorized, { operation: 'DescribeInstanceTypes' });
  assert.equal(await start(...CLUSTER).exited, 1);
  assert.deepEqual(
    lines()
      .filter(({ level }) => level === 'ERROR')
      .map(({ message }) => message),
    ['ec2 api connectivity check failed', 'failed to start'],
  );
});

test('SIGTERM while the start waits for EC2 ends it with 0 and without an error', async (t) => {
  const { emulator, start, lines, until } = await environment(t);
  emulator.faults.inject({ kind: 'slow', delay: 3_600_000 }, { operation: 'DescribeInstanceTypes' });
  const controller = start(...CLUSTER, '--log-level=debug');
  await until('discovered karpenter version');
  await sleep(500); // most likely it waits for EC2 by now; it ends all the same if it waits for the API server still
  const begun = performance.now();
  controller.stop();
  assert.equal(await controller.exited, 0);
  assert.ok(performance.now() - begun < 5_000);
  assert.equal(lines().at(-1)?.['message'], 'stopped before the start was over');
  assert.ok(lines().every(({ level }) => level !== 'ERROR'));
});

test('a setting that is missing is named before anything is asked', async (t) => {
  const { start } = await environment(t);
  const { exited, io } = start();
  assert.equal(await exited, 2);
  assert.equal(io.err(), 'karpenter: validating options, missing field, cluster-name\n');
});
