import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND, type SteadyClock, VirtualClock } from '@karpenter-ts/runtime';
import { ApiServer } from '../server.ts';

const start = (clock: SteadyClock) => {
  const server = new ApiServer({ clock, random: () => 0.5 });
  const ask = (method: 'GET' | 'POST', path: string, body?: object, signal?: AbortSignal) =>
    server.handle({ method, path, headers: {}, ...(body && { body: JSON.stringify(body) }) }, signal);
  const configMap = (name: string, data = {}) =>
    ask('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name }, data });
  return { ask, configMap };
};

/** Collects what comes until it ends. */
async function collect(body: AsyncIterable<Buffer>, lines: string[]): Promise<void> {
  for await (const chunk of body)
    lines.push(
      ...chunk
        .toString()
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    );
}

test('a quiet watch has a bookmark every minute, and a last one when its time is up', async () => {
  const clock = new VirtualClock();
  const { ask } = start(clock);
  const { body } = await ask(
    'GET',
    '/api/v1/configmaps?watch=true&allowWatchBookmarks=true&timeoutSeconds=150&resourceVersion=1',
  );
  const lines: string[] = [];
  const ended = collect(body, lines);
  await clock.advance(2 * MINUTE + 10 * SECOND);
  assert.deepEqual(lines, ['BOOKMARK', 'BOOKMARK']);
  await clock.runUntil(ended);
  assert.deepEqual(lines, ['BOOKMARK', 'BOOKMARK', 'BOOKMARK']);
});

interface Sent {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } };
}

const eventsIn = (chunk: Buffer): readonly Sent[] =>
  chunk
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Sent);

test('whoever resumes from the bookmark that ends a streamed list misses nothing written while it was sent', async () => {
  const clock = new VirtualClock();
  const { ask, configMap } = start(clock);
  for (let i = 0; i < 10; i++) await configMap(`old-${i}`, { filler: 'x'.repeat(50_000) }); // several pieces
  const list = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const streamed = await ask('GET', `/api/v1/configmaps?watch=true&${list}`);
  const written: string[] = [];
  const known = new Set<string>();
  let bookmark: string | undefined;
  for await (const chunk of streamed.body) {
    for (const { type, object } of eventsIn(chunk)) {
      if (type === 'BOOKMARK') bookmark ??= object.metadata.resourceVersion;
      else if (bookmark === undefined) known.add(object.metadata.name);
    }
    if (bookmark !== undefined) break;
    const name = `new-${written.length}`;
    await configMap(name);
    written.push(name);
  }
  assert.ok(written.length > 0);
  const resumed = await ask('GET', `/api/v1/configmaps?watch=true&resourceVersion=${bookmark}&timeoutSeconds=1`);
  const reading = (async () => {
    for await (const chunk of resumed.body) for (const { object } of eventsIn(chunk)) known.add(object.metadata.name);
  })();
  await clock.runUntil(reading);
  assert.deepEqual(
    written.filter((name) => !known.has(name)),
    [],
  );
});

test('a watch that names no time ends after half an hour or more, so that not all come back at once', async () => {
  const clock = new VirtualClock();
  const { ask } = start(clock);
  const { body } = await ask('GET', '/api/v1/configmaps?watch=true&resourceVersion=1');
  const before = clock.now();
  await clock.runUntil(collect(body, []));
  assert.equal(clock.now() - before, 45 * MINUTE);
});

test('a reader that falls behind what is remembered is told so, and the watch ends', async () => {
  const clock = new VirtualClock();
  const { ask, configMap } = start(clock);
  const { body } = await ask('GET', '/api/v1/configmaps?watch=true&resourceVersion=1');
  for (let i = 0; i < 150; i++) await configMap(`a-${i}`);
  await clock.advance(2 * MINUTE);
  for (let i = 0; i < 150; i++) await configMap(`b-${i}`);
  const lines: string[] = [];
  await clock.runUntil(collect(body, lines));
  assert.deepEqual(lines, ['ERROR']);
});

test('a reader that is slow, but not too slow, misses nothing', async () => {
  const clock = new VirtualClock();
  const { ask, configMap } = start(clock);
  const response = await ask('GET', '/api/v1/configmaps?watch=true&resourceVersion=1');
  for (let i = 0; i < 300; i++) await configMap(`a-${i}`, { filler: 'x'.repeat(1000) }); // more than fits in one piece
  const lines: string[] = [];
  for await (const chunk of response.body) {
    lines.push(...chunk.toString().trim().split('\n'));
    if (lines.length === 300) break;
  }
  assert.equal(lines.length, 300);
});

test('a watch that is given up ends at once, also while it waits', async () => {
  const clock = new VirtualClock();
  const { ask } = start(clock);
  const response = await ask('GET', '/api/v1/configmaps?watch=true&resourceVersion=1');
  const ended = collect(response.body, []);
  await clock.flush();
  response.discard();
  await ended;
});

test('a watch whose request is aborted ends with the reason', async () => {
  const clock = new VirtualClock();
  const { ask } = start(clock);
  const aborted = new AbortController();
  const { body } = await ask('GET', '/api/v1/configmaps?watch=true&resourceVersion=1', undefined, aborted.signal);
  const ended = collect(body, []);
  await clock.flush();
  aborted.abort(new Error('enough'));
  await assert.rejects(ended, { message: 'enough' });
});
