import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { type Cluster, startCluster } from '@karpenter-ts/embedded';
import { type ApiObject, CUSTOM_RESOURCE_DEFINITIONS, type Lease, LEASES } from '@karpenter-ts/kubernetes';
import { type ProcessEvents, realClock } from '@karpenter-ts/runtime';
import { recordingIo } from '../testing-io.ts';
import { runController } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'karpenter-controller-'));
const CRDS = RESOURCES.kwok.map(customResourceDefinition);

let runs = 0;

/** The command with its log in a file of its own, ports of its own, and a switch that stands for SIGTERM. */
function run(kubeconfig: string, ...flags: readonly string[]) {
  const log = join(folder, `log-${runs++}`);
  writeFileSync(log, '');
  const source: ProcessEvents & EventEmitter = Object.assign(new EventEmitter(), { exit: () => assert.fail('forced') });
  const io = recordingIo();
  const argv = ['--provider=kwok', '--metrics-port=0', '--health-probe-port=0', `--log-output-paths=${log}`, ...flags];
  const exited = runController(argv, { KUBECONFIG: kubeconfig, HOME: folder }, io, source);
  const lines = () => readFileSync(log, 'utf8').split('\n').filter(Boolean);
  return {
    io,
    exited,
    errors: () =>
      lines()
        .map((line) => JSON.parse(line) as Readonly<Record<string, string>>)
        .filter(({ level }) => level === 'ERROR')
        .map(({ message, kind = '', error }) => [message, kind, error].filter(Boolean).join(': ')),
    messages: () => lines().map((line) => (JSON.parse(line) as { readonly message: string }).message),
    /** Waits for a log line. A process that ends without it fails the test, and so does a minute. */
    async until(text: string): Promise<void> {
      const deadline = performance.now() + 60_000;
      let hasExited = false;
      void exited.finally(() => (hasExited = true));
      while (!lines().some((line) => line.includes(text))) {
        if (hasExited || performance.now() > deadline) assert.fail(`no line has ${text}:\n${lines().join('\n')}`);
        await sleep(20);
      }
    },
    terminate: () => void source.emit('SIGTERM', 'SIGTERM'),
  };
}

async function startServed(t: TestContext, crds = CRDS): Promise<{ cluster: Cluster; kubeconfig: string }> {
  const kubeconfig = join(mkdtempSync(join(folder, 'cluster-')), 'kubeconfig');
  const cluster = await startCluster({
    clock: realClock,
    seed: 1,
    crds,
    listen: { port: 0, kubeconfigPath: kubeconfig },
  });
  t.after(() => cluster.stop());
  return { cluster, kubeconfig };
}

/** A free port below those that the system gives to outgoing connections, so none of these takes it meanwhile. */
async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const holder = createServer().listen(port, '127.0.0.1');
    const isFree = await Promise.race([
      once(holder, 'listening').then(() => true),
      once(holder, 'error').then(() => false),
    ]);
    if (!isFree) continue;
    await once(holder.close(), 'close');
    return port;
  }
}

function kubeconfigFor(server: string): string {
  const path = join(folder, `kubeconfig-${runs++}`);
  writeFileSync(
    path,
    JSON.stringify({
      clusters: [{ name: 'a', cluster: { server } }],
      users: [{ name: 'a', user: {} }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    }),
  );
  return path;
}

test('help lists the flags and ends with 0; a bad flag is named, and ends with 2', async () => {
  const help = run('', '--help');
  assert.equal(await help.exited, 0);
  assert.match(help.io.out(), /batch-idle-duration/);
  const wrong = run('', '--batch-max-duration=long');
  assert.equal(await wrong.exited, 2);
  assert.match(wrong.io.err(), /^karpenter: parsing flags, invalid value "long" for flag -batch-max-duration/);
  const ours = run('', '--packing-min-gain=5');
  assert.equal(await ours.exited, 2);
  assert.match(ours.io.err(), /^karpenter: --packing-min-gain: "5" is not a percentage from 0% to 100%/);
});

test('it does not start with dynamic resource allocation switched on, by flag or by variable', async () => {
  const REFUSED = /^karpenter: validating options, --ignore-dra-requests=false is not supported/;
  const flagged = run('', '--ignore-dra-requests=false');
  assert.equal(await flagged.exited, 2);
  assert.match(flagged.io.err(), REFUSED);
  const io = recordingIo();
  const source = Object.assign(new EventEmitter(), { exit: () => assert.fail('forced') });
  assert.equal(await runController(['--provider=kwok'], { IGNORE_DRA_REQUESTS: 'false' }, io, source), 2);
  assert.match(io.err(), REFUSED);
});

test('what is set and does nothing is named in the log, once', async (t) => {
  const { kubeconfig } = await startServed(t);
  const gates = '--feature-gates=NodeOverlay=true,StaticCapacity=true,NodeRepair=true';
  const running = run(kubeconfig, '--disable-leader-election', gates, '--extensions=A1,B5');
  await running.until('"message":"Starting workers","controller":"provisioner"');
  running.terminate();
  assert.equal(await running.exited, 0);
  assert.deepEqual(
    running.messages().filter((message) => message.startsWith('ignoring')),
    [
      'ignoring feature gates that are not built: NodeOverlay, StaticCapacity',
      'ignoring extensions that are not built: B5',
    ],
  );
});

test('without a usable kubeconfig one line says which was tried', async () => {
  const missing = run(join(folder, 'none'));
  assert.equal(await missing.exited, 1);
  assert.match(missing.errors().join(), /^failed to start: invalid configuration: .*\(KUBECONFIG is .*none\)$/);
  const path = join(folder, 'broken');
  writeFileSync(path, 'clusters: [');
  const broken = run(path);
  assert.equal(await broken.exited, 1);
  assert.match(broken.errors().join(), /^failed to start: error loading config file ".*broken"/);
});

test('a server that is not there ends it with one line that names it', async () => {
  const dead = run(kubeconfigFor('http://127.0.0.1:1'));
  assert.equal(await dead.exited, 1);
  assert.deepEqual(dead.errors(), [
    'failed to start: http://127.0.0.1:1: connection to the API server failed: connect ECONNREFUSED 127.0.0.1:1',
  ]);
});

for (const [code, retryAfter] of [
  [302, ''],
  [403, ''],
  [429, '86400'],
  [500, ''],
] as const) {
  test(`a server that answers ${code} ends it with one line that names it`, async (t) => {
    const server = createServer((_, response) => {
      response.writeHead(code, { 'content-type': 'text/plain', location: '/', 'retry-after': retryAfter }).end('no');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refused = run(kubeconfigFor(address));
    assert.equal(await refused.exited, 1);
    const [error = '', ...others] = refused.errors();
    assert.ok(error.startsWith(`failed to start: ${address}: `), error);
    assert.deepEqual(others, []);
  });
}

test('a server that does not know us ends it with one line', async (t) => {
  const { kubeconfig } = await startServed(t);
  const text = readFileSync(kubeconfig, 'utf8').replace(/"token": ".*"/, '"token": "forged"');
  const stranger = join(folder, 'stranger');
  writeFileSync(stranger, text);
  const refused = run(stranger);
  assert.equal(await refused.exited, 1);
  assert.match(refused.errors().join(), /^failed to start: https:.* does not accept our credentials: Unauthorized$/);
});

test('outside a cluster it must be told where its lease is', async (t) => {
  const { kubeconfig } = await startServed(t);
  const unplaced = run(kubeconfig);
  assert.equal(await unplaced.exited, 1);
  assert.match(unplaced.errors().join(), /unable to find leader election namespace/);
});

test('a port that is taken ends it, and is named', async (t) => {
  const { kubeconfig } = await startServed(t);
  const taken = createServer().listen(0);
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const refused = run(kubeconfig, '--disable-leader-election', `--metrics-port=${port}`);
  assert.equal(await refused.exited, 1);
  assert.match(
    refused.errors().join(),
    new RegExp(`^problem running manager: error listening on :${port}: .*EADDRINUSE`),
  );
});

test('it waits for its CRDs, saying which are missing, and goes on when they are there', async (t) => {
  const { cluster, kubeconfig } = await startServed(t, []);
  const waiting = run(kubeconfig, '--disable-leader-election');
  for (const kind of ['NodePool.karpenter.sh', 'NodeClaim.karpenter.sh', 'KWOKNodeClass.karpenter.kwok.sh']) {
    await waiting.until(`"if kind is a CRD, it should be installed before calling Start","kind":"${kind}"`);
  }
  for (const crd of CRDS) await cluster.client.create(CUSTOM_RESOURCE_DEFINITIONS, crd as unknown as ApiObject);
  await waiting.until('"message":"Starting workers","controller":"provisioner"');
  waiting.terminate();
  assert.equal(await waiting.exited, 0);
});

test('it says what it lacks the rights for, and goes on trying', async (t) => {
  const message =
    'pods is forbidden: User "karpenter" cannot list resource "pods" in API group "" at the cluster scope';
  const guarded = createServer((request, response) => {
    const isOpen = request.url === '/version';
    response.writeHead(isOpen ? 200 : 403, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isOpen ? {} : { kind: 'Status', code: 403, reason: 'Forbidden', message }));
  }).listen(0);
  t.after(() => guarded.close().closeAllConnections());
  const { port } = guarded.address() as AddressInfo;
  const powerless = run(kubeconfigFor(`http://127.0.0.1:${port}`), '--disable-leader-election');
  await powerless.until(JSON.stringify(message));
  powerless.terminate();
  assert.equal(await powerless.exited, 0);
});

test('SIGTERM ends it with 0, and the lease is free for the next, whatever the connections to its ports do', async (t) => {
  const { cluster, kubeconfig } = await startServed(t);
  const [metrics, probes] = [await findFreePort(), await findFreePort()];
  const ports = [`--metrics-port=${metrics}`, `--health-probe-port=${probes}`];
  const leader = run(kubeconfig, '--leader-election-namespace=kube-system', ...ports);
  await leader.until('"message":"Starting workers","controller":"provisioner"');
  for (const port of [metrics, probes]) {
    const silent = connect(port, '127.0.0.1').on('error', () => undefined);
    t.after(() => silent.destroy());
    await once(silent, 'connect');
  }
  const holder = async () => {
    const lease = { namespace: 'kube-system', name: 'karpenter-leader-election' };
    return (await cluster.client.get<Lease>(LEASES, lease)).spec?.holderIdentity;
  };
  assert.match((await holder()) ?? '', /_/);
  leader.terminate();
  assert.equal(await leader.exited, 0);
  assert.deepEqual(leader.errors(), []);
  assert.equal((await holder()) ?? '', '');
});
