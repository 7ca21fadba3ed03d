import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '../clock.ts';
import { realClock } from '../real-clock.ts';
import { testClient } from '../testing/fixture-client.ts';
import { isInSync, startInformer, startServer, until } from '../testing/fixture-informer.ts';
import { BOOKMARK, ONE_POD, startScripted, type WatchScript } from '../testing/scripted-watches.ts';

test('a server that refuses streamed lists gets pages of 100, and is asked only once', async (t) => {
  const server = await startServer(t, { streamsLists: false });
  for (let i = 0; i < 250; i++) server.resource.put(`default/pod-${i}`);
  const { client, close } = testClient(server.url);
  t.after(close);
  const first = await startInformer(t, server, { client });
  await first.informer.waitForSync(AbortSignal.timeout(5000));
  const second = await startInformer(t, server, { client });
  await second.informer.waitForSync(AbortSignal.timeout(5000));

  assert.deepEqual(
    server.requests.filter(({ kind }) => kind !== 'watch').map(({ kind, query }) => `${kind} ${query.get('limit')}`),
    ['stream null', ...Array(6).fill('list 100')],
  );
  assert.equal(second.informer.size, 250);
  assert.equal(second.informer.get('default/pod-249')?.kind, 'Pod'); // as a watch would have it
});

for (const code of [400, 403]) {
  test(`a streamed list refused with ${code} falls back to pages`, async (t) => {
    const server = await startServer(t, {
      faults: ({ kind }) => (kind === 'stream' ? { do: 'status', code } : undefined),
    });
    server.resource.put('default/a');
    const { informer } = await startInformer(t, server);
    await informer.waitForSync(AbortSignal.timeout(5000));
    assert.equal(informer.size, 1);
  });
}

test('a continue token that expires starts the list over, and the second time in one piece', async (t) => {
  const server = await startServer(t, { streamsLists: false });
  for (let i = 0; i < 250; i++) server.resource.put(`default/pod-${i}`, { spec: { nodeName: `n${i}` } });
  server.faults = ({ query }) => (query.has('continue') ? { do: 'expire' } : undefined);
  const { informer } = await startInformer(t, server, { sharedParts: ['spec'] });
  await informer.waitForSync(AbortSignal.timeout(5000));

  const lists = server.requests.filter(({ kind }) => kind === 'list');
  assert.deepEqual(
    lists.map(({ query }) => `${query.get('limit')}${query.has('continue') ? ' continued' : ''}`),
    ['100', '100 continued', '100', '100 continued', 'null'],
  );
  assert.ok(isInSync(informer, server));

  for (const key of server.resource.keys()) server.resource.delete(key);
  await until(() => informer.size === 0);
  assert.equal(informer.sharedPartCount, 0); // the pages given up have left nothing behind
});

test('a list that breaks off leaves the cache as it was', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/old');
  const { informer, log } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));

  server.faults = ({ kind }) =>
    kind === 'watch' ? { do: 'error', code: 410, afterEvents: 0, keepOpen: false } : { do: 'cut', afterBytes: 500 };
  for (let i = 0; i < 50; i++) server.resource.put(`default/new-${i}`);
  await until(() => informer.size === 51);
  server.resource.delete('default/old');
  await until(() => informer.get('default/old') === undefined);
  server.watches[0]?.end();
  await until(() => server.requests.filter(({ kind }) => kind === 'stream').length >= 4);
  assert.equal(informer.size, 50); // after three broken lists
  server.faults = () => undefined;
  server.resource.put('default/newest');
  await until(() => isInSync(informer, server));
  assert.equal(log.filter((line) => line.startsWith('delete')).length, 1);
});

test('a 410 event that leaves the connection open still ends the watch, and what vanished is deleted', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/stays');
  server.resource.put('default/goes');
  const { informer, log } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));

  const [watch] = server.watches;
  watch?.fail(410, 'too old resource version', true);
  server.resource.delete('default/goes');
  server.resource.compact();
  await until(() => isInSync(informer, server));
  assert.deepEqual(log, ['add stays initially', 'add goes initially', 'delete goes']);
  assert.deepEqual(
    server.requests.map(({ kind }) => kind),
    ['stream', 'stream'],
  );
});

test('an ERROR event of another kind keeps the version', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer, log } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));

  server.watches[0]?.fail(500, 'internal error', true);
  server.resource.put('default/b');
  await until(() => isInSync(informer, server));
  assert.deepEqual(
    server.requests.map(({ kind, query }) => `${kind} ${query.get('resourceVersion')}`),
    ['stream null', 'watch rv-2'],
  );
  assert.deepEqual(log, ['add a initially', 'add b']);
});

/** Seconds between the requests. */
const gaps = (requests: readonly { readonly at: number }[]): number[] =>
  requests.slice(1).map(({ at }, i) => (at - (requests[i]?.at ?? 0)) / SECOND);

test('a server that closes every watch at once is asked less and less often', async (t) => {
  const { clock, requests } = startScripted(t, (request) => ({ lines: request === 1 ? ONE_POD : [], last: 'end' }));
  await clock.advance(150 * SECOND);
  assert.deepEqual(gaps(requests), [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30]);
});

test('a watch that has run its time is followed by the next at once, one that was cut short is not', async (t) => {
  const lives = [300 * SECOND, 1 * SECOND, 0.9 * SECOND];
  const { clock, requests } = startScripted(t, (request) => ({
    lines: request === 1 ? ONE_POD : [],
    last: lives[request - 1] ?? 'silence',
  }));
  await clock.advance(310 * SECOND);
  assert.deepEqual(gaps(requests), [300, 1, 1]); // the last is 0.9, and the back-off
});

test('any event resets the back-off', async (t) => {
  const { clock, requests } = startScripted(t, (request) => {
    if (request === 1) return { lines: ONE_POD, last: 'end' };
    return { lines: request === 5 ? [BOOKMARK] : [], last: 'end' };
  });
  await clock.advance(1.9 * SECOND);
  assert.deepEqual(gaps(requests), [0.1, 0.2, 0.4, 0.8, 0.1, 0.2]);
});

const isList = (path: string): boolean => path.includes('sendInitialEvents=true');
const failure = (code: number): string => `{"kind":"Status","status":"Failure","code":${code},"message":"no"}`;
const errorEvent = (code: number): string => `{"type":"ERROR","object":${failure(code)}}`;

const BAD_WATCHES: readonly (readonly [string, WatchScript])[] = [
  ['answers 410', { status: 410, lines: [failure(410)], last: 'end' }],
  ['answers 403', { status: 403, lines: [failure(403)], last: 'end' }],
  ['answers 500', { status: 500, lines: [failure(500)], last: 'end' }],
  ['says 410 in an event', { lines: [errorEvent(410)], last: 'end' }],
  ['delivers and then says 410', { lines: [BOOKMARK, errorEvent(410)], last: 'end' }],
];
for (const [what, watch] of BAD_WATCHES) {
  test(`a server whose every watch ${what} is asked for few lists, though each list works`, async (t) => {
    const list = { lines: ONE_POD, last: 'end' } as const;
    const { clock, requests } = startScripted(t, (_, path) => (isList(path) ? list : watch));
    await clock.advance(600 * SECOND);
    const lists = requests.filter(({ path }) => isList(path)).length;
    assert.ok(lists >= 2 && lists <= 30, `${lists} lists in ten minutes`);
    assert.ok(requests.length <= 60, `${requests.length} requests in ten minutes`);
  });
}

test('a version that expires on the list itself is listed anew less and less often', async (t) => {
  const { clock, requests } = startScripted(t, () => ({ lines: [...ONE_POD, errorEvent(410)], last: 'end' }));
  await clock.advance(60 * SECOND);
  assert.deepEqual(gaps(requests), [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6]);
});

test('a server whose every list fails is asked less and less often', async (t) => {
  const { clock, requests } = startScripted(t, () => ({ status: 500, lines: [failure(500)], last: 'end' }));
  await clock.advance(150 * SECOND);
  assert.deepEqual(gaps(requests), [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30]);
});

test('a server whose every list fails after one that has served is asked less and less often', async (t) => {
  const { clock, requests } = startScripted(t, (request) => {
    if (request > 1) return { status: 410, lines: [failure(410)], last: 'end' };
    return { lines: [...ONE_POD], last: 300 * SECOND };
  });
  await clock.advance(360 * SECOND);
  assert.deepEqual(gaps(requests), [300, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6]);
});

test('a server that asks for a day of patience is asked again after a minute', async (t) => {
  const status = '{"kind":"Status","status":"Failure","code":429,"details":{"retryAfterSeconds":86400}}';
  const { clock, requests } = startScripted(t, () => ({ status: 429, lines: [status], last: 'end' }));
  await clock.advance(150 * SECOND);
  assert.deepEqual(gaps(requests), [60, 60]);
});

for (const page of ['null', '[]', '5', '{}', '{"metadata":null,"items":[]}', '{"metadata":{},"items":{}}']) {
  test(`a page of ${page} is told as what it is, and asked for again`, async (t) => {
    const { clock, requests, problems } = startScripted(t, (_, path) => {
      if (isList(path)) return { status: 400, lines: [failure(400)], last: 'end' };
      return { lines: [page], last: 'end' };
    });
    await clock.advance(1 * SECOND);
    assert.ok(requests.length > 2);
    assert.equal(problems()[1], 'the API server answered with something that is no list of pods');
  });
}

test('a list that has served for a while is followed by the next without delay', async (t) => {
  const lists: number[] = [];
  const { clock } = startScripted(t, (_, path) => {
    if (!isList(path)) return { lines: [errorEvent(410)], last: 'end' };
    lists.push(clock.now());
    return { lines: ONE_POD, last: 300 * SECOND }; // and then its version has expired
  });
  await clock.advance(1300 * SECOND);
  assert.deepEqual(gaps(lists.map((at) => ({ at }))), [300.1, 300.1, 300.1, 300.1]);
});

test('429 and 500 on a watch are retried, and Retry-After is honoured', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));

  const times: number[] = [];
  server.faults = () => {
    times.push(Date.now());
    if (times.length === 1) return { do: 'status', code: 500 };
    return times.length === 2 ? { do: 'status', code: 429, retryAfter: 1 } : undefined;
  };
  server.watches[0]?.end();
  server.resource.put('default/b');
  await until(() => isInSync(informer, server));
  const [, refused = 0, again = 0] = times;
  assert.ok(again - refused >= 990, `came back after ${again - refused} ms`);
});

test('a connection reset inside a line resumes from the last version and drops the half line', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer, log } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));

  server.watches[0]?.raw('{"type":"ADDED","object":{"metadata":{"name":"half');
  await delay(20);
  server.cutConnections();
  server.resource.put('default/b');
  await until(() => isInSync(informer, server));
  assert.deepEqual(log, ['add a initially', 'add b']);
  assert.equal(server.requests.at(-1)?.query.get('resourceVersion'), 'rv-2');
});

test('a list that answers 503 is asked again', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  server.faults = () => (server.requests.length === 1 ? { do: 'status', code: 503 } : undefined);
  const { informer } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));
  assert.equal(informer.size, 1);
});

test('a malformed line ends the watch, which resumes', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer, log } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));

  server.watches[0]?.raw('{"type":"ADDED", oops\n');
  server.resource.put('default/b');
  await until(() => isInSync(informer, server));
  assert.deepEqual(log, ['add a initially', 'add b']);
  assert.equal(server.requests.length, 2);
});

test('a server that is gone for a while is found again', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));
  const { port } = server;
  await server.stop();
  server.resource.put('default/b');
  server.resource.delete('default/a');
  await delay(100);
  await server.start(port);
  await until(() => isInSync(informer, server));
});

test('a version the server refuses five times in a row is given up, whatever its words', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));
  const before = server.requests.length;
  server.faults = ({ kind }) => (kind === 'watch' ? { do: 'status', code: 504 } : undefined);
  server.watches[0]?.end();
  await until(() => server.requests.slice(before).some(({ kind }) => kind === 'stream'));
  assert.ok(isInSync(informer, server));
});

test('a watch that falls silent is left alone for its time, and given up half a minute later', async (t) => {
  const { clock, requests } = startScripted(t, (request) => ({ lines: request === 1 ? ONE_POD : [], last: 'silence' }));
  await clock.advance(700 * SECOND);
  assert.deepEqual(gaps(requests), [330.1, 330.2]); // 300 asked for, 30 of grace, and the back-off
  assert.match(requests[1]?.path ?? '', /resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=300$/);
});

/** Real time, a thousand times as fast for whoever sets a timer. */
const hastyClock = {
  ...realClock,
  after: (ms: number, run: () => void) => realClock.after(ms / 1000, run),
  sleep: (ms: number, signal?: AbortSignal) => realClock.sleep(ms / 1000, signal),
};

test('a watch whose head does not come is given up after 90 seconds', async (t) => {
  const server = await startServer(t, { faults: () => (server.requests.length <= 2 ? { do: 'hang' } : undefined) });
  server.resource.put('default/a');
  const { client, close } = testClient(server.url, { clock: hastyClock });
  t.after(close);
  const started = Date.now();
  const { informer } = await startInformer(t, server, { client, clock: hastyClock });
  await informer.waitForSync(AbortSignal.timeout(5000));
  assert.ok(Date.now() - started >= 2 * 90 - 20, 'gave up too early');
  assert.equal(server.requests.length, 3);
});
