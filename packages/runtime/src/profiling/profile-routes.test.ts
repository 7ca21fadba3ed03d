import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { metricsServer, sendText } from '../http-server.ts';
import { realClock } from '../real-clock.ts';
import { recordingLogger } from '../testing/recording-logger.ts';
import { Profiler } from './profiler.ts';
import { profileRoutes } from './profile-routes.ts';

/** The metrics server, with or without profiling; stops with the test. */
async function serve(t: TestContext, profiling: 'on' | 'off'): Promise<string> {
  const stop = new AbortController();
  const logger = recordingLogger();
  const metrics = {
    '/metrics': (_request: unknown, response: Parameters<typeof sendText>[0]) => sendText(response, 200, 'up 1\n'),
  };
  const profiler = new Profiler();
  const routes = { ...metrics, ...(profiling === 'on' && profileRoutes(profiler, realClock)) };
  const server = metricsServer(0, { routes, clock: realClock, logger });
  const ended = [server.start(stop.signal), ...(profiling === 'on' ? [profiler.start(stop.signal)] : [])];
  t.after(async () => {
    stop.abort();
    await Promise.all(ended);
  });
  while (server.port === 0) await realClock.sleep(1);
  return `http://127.0.0.1:${server.port}`;
}

function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) JSON.parse('{"a":[1,2,3]}');
}

const kept: unknown[] = [];
function holdMemory(): void {
  for (let i = 0; i < 40; i++) kept.push(Array.from({ length: 100_000 }, () => i));
}

async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

test('05/35 with profiling off there are no profiles, and metrics are served', async (t) => {
  const url = await serve(t, 'off');
  for (const path of ['', 'heap', 'allocs', 'profile', 'cmdline', 'goroutine']) {
    assert.equal((await fetch(`${url}/debug/pprof/${path}`)).status, 404, path);
  }
  assert.equal(await (await fetch(`${url}/metrics`)).text(), 'up 1\n');
});

test('05/35 with profiling on the index lists what there is, and the rest is 404', async (t) => {
  const url = await serve(t, 'on');
  const index = await (await fetch(`${url}/debug/pprof/`)).text();
  for (const [, path] of index.matchAll(/href="(\w+)"/g)) {
    const answer = await fetch(`${url}/debug/pprof/${path}?seconds=0.01`);
    assert.equal(answer.status, 200, path);
    await answer.arrayBuffer();
  }
  for (const path of ['block', 'goroutine', 'threadcreate', 'trace']) {
    assert.equal((await fetch(`${url}/debug/pprof/${path}`)).status, 404, path);
  }
  assert.match(await (await fetch(`${url}/debug/pprof/cmdline`)).text(), /^\/.*node\0/);
  assert.equal(await (await fetch(`${url}/metrics`)).text(), 'up 1\n');
});

test('a CPU profile shows where time was spent, to pprof and to developer tools', async (t) => {
  const url = await serve(t, 'on');
  const asked = fetch(`${url}/debug/pprof/profile?seconds=0.3`);
  await realClock.sleep(50);
  spin(150);
  const profile = await (await asked).arrayBuffer();
  assert.match(gunzipSync(profile).toString('latin1'), /spin/);

  const other = fetch(`${url}/debug/pprof/profile?seconds=0.1&format=devtools`);
  const answer = await other;
  assert.match(answer.headers.get('content-disposition')!, /profile\.cpuprofile/);
  const { nodes, samples } = (await answer.json()) as { nodes: unknown[]; samples: unknown[] };
  assert.ok(nodes.length > 0 && samples.length > 0);
});

test('two CPU profiles at once are one too many', { timeout: 60_000 }, async (t) => {
  const url = await serve(t, 'on');
  const caller = new AbortController();
  const first = fetch(`${url}/debug/pprof/profile?seconds=600`, { signal: caller.signal });
  let answer: Response;
  do answer = await fetch(`${url}/debug/pprof/profile?seconds=0.01`);
  while (answer.status === 200); // it came before the first
  assert.equal(`${answer.status} ${await answer.text()}`, '500 Could not enable cpu profiling already in use\n');
  caller.abort();
  await assert.rejects(first, { name: 'AbortError' });
});

test('a heap profile shows who holds memory; an allocation profile also what is gone again', async (t) => {
  const url = await serve(t, 'on');
  await (await fetch(`${url}/metrics`)).text();
  holdMemory();
  const heap = await (await fetch(`${url}/debug/pprof/heap`)).arrayBuffer();
  assert.match(gunzipSync(heap).toString('latin1'), /holdMemory/);

  const asked = fetch(`${url}/debug/pprof/allocs?seconds=0.3`);
  await realClock.sleep(50);
  holdMemory();
  kept.length = 0;
  await collectGarbage();
  const allocations = await (await asked).arrayBuffer();
  assert.match(gunzipSync(allocations).toString('latin1'), /holdMemory/);
  const again = await (await fetch(`${url}/debug/pprof/heap`)).arrayBuffer();
  assert.doesNotMatch(gunzipSync(again).toString('latin1'), /holdMemory/);
});
