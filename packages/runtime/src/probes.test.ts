import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HttpServer } from './http-server.ts';
import { type Checks, ping, probeRoutes } from './probes.ts';
import { realClock } from './real-clock.ts';
import { recordingLogger } from './testing/recording-logger.ts';

const missingCrd = (): never => {
  throw new Error('no matches for kind "NodePool" in version "karpenter.sh/v1"');
};

/** Asks a probe server over a real socket; it stops with the test. */
async function serve(t: TestContext, readiness: Checks) {
  const logger = recordingLogger();
  const stop = new AbortController();
  const listening = Promise.withResolvers<void>();
  const routes = {
    ...probeRoutes('/healthz', { healthz: ping }, logger),
    ...probeRoutes('/readyz', readiness, logger),
  };
  const server = new HttpServer({ port: 0, routes, clock: realClock, logger, onListening: () => listening.resolve() });
  const ended = server.start(stop.signal);
  t.after(async () => {
    stop.abort();
    await ended;
  });
  await listening.promise;
  const ask = async (path: string): Promise<[number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { connection: 'close' } });
    return [answer.status, await answer.text()];
  };
  return { ask, logger };
}

test('a probe whose checks all pass says ok, and lists them if asked to', async (t) => {
  const { ask } = await serve(t, { readyz: ping, manager: async () => {}, crd: ping });
  assert.deepEqual(await ask('/healthz'), [200, 'ok']);
  assert.deepEqual(await ask('/readyz'), [200, 'ok']);
  assert.deepEqual(await ask('/readyz/'), [200, 'ok']);
  const list = '[+]crd ok\n[+]manager ok\n[+]readyz ok\nhealthz check passed\n';
  assert.deepEqual(await ask('/readyz?verbose'), [200, list]);
  assert.deepEqual(await ask('/readyz?verbose=true'), [200, list]);
});

test('05/33 a missing CRD makes the process unready without saying why, except to who asks for that check', async (t) => {
  const { ask, logger } = await serve(t, { readyz: ping, manager: ping, crd: missingCrd });
  const list = '[-]crd failed: reason withheld\n[+]manager ok\n[+]readyz ok\nhealthz check failed\n';
  assert.deepEqual(await ask('/readyz'), [500, list]);
  assert.deepEqual(await ask('/readyz/crd'), [
    500,
    'internal server error: no matches for kind "NodePool" in version "karpenter.sh/v1"\n',
  ]);
  assert.deepEqual(await ask('/readyz/manager'), [200, 'ok']);
  assert.deepEqual(await ask('/healthz'), [200, 'ok']);
  assert.ok(logger.lines.some(({ level, message }) => level === 'info' && message === 'healthz check failed'));
});

test('05/34 an excluded check does not count and is shown as such; an unknown one is 404, or named', async (t) => {
  const { ask } = await serve(t, { readyz: ping, crd: missingCrd });
  assert.deepEqual(await ask('/readyz?exclude=crd'), [200, 'ok']);
  assert.deepEqual(await ask('/readyz?exclude=crd&verbose'), [
    200,
    '[+]crd excluded: ok\n[+]readyz ok\nhealthz check passed\n',
  ]);
  assert.deepEqual(await ask('/readyz?exclude=crd&exclude=nope&verbose'), [
    200,
    '[+]crd excluded: ok\n[+]readyz ok\nwarn: some health checks cannot be excluded: no matches for "nope"\nhealthz check passed\n',
  ]);
  for (const path of ['/healthz/unknown', '/healthz/toString', '/livez', '/healthzz', '/']) {
    assert.deepEqual(await ask(path), [404, '404 page not found\n'], path);
  }
});
