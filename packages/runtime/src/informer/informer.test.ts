import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { HOUR, SECOND } from '../clock.ts';
import { Metrics } from '../metrics/registry.ts';
import { realClock } from '../real-clock.ts';
import { isInSync, startInformer, startServer, until } from '../testing/fixture-informer.ts';
import { ONE_POD, startScripted } from '../testing/scripted-watches.ts';

test('the initial list is streamed and reported once it is complete', async (t) => {
  const server = await startServer(t);
  for (let i = 0; i < 200; i++) server.resource.put(`default/pod-${i}`);
  const { informer, log } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));

  assert.equal(informer.size, 200);
  assert.equal(log.length, 200);
  assert.equal(log[0], 'add pod-0 initially');
  const [first] = server.requests;
  assert.equal(first?.kind, 'stream');
  assert.equal(first.query.get('resourceVersionMatch'), 'NotOlderThan');
  assert.equal(first.query.get('allowWatchBookmarks'), 'true');
  assert.equal(first.query.get('resourceVersion'), null);
  const seconds = Number(first.query.get('timeoutSeconds'));
  assert.ok(seconds >= 300 && seconds <= 600, `asked for ${seconds} s`);

  server.resource.put('default/late', { spec: { nodeName: 'n1' } });
  await until(() => informer.size === 201);
  assert.equal(log.at(-1), 'add late');
  assert.equal(server.requests.length, 1); // the list's connection is the watch
});

test('a handler that throws or rejects is counted and hurts no other', async (t) => {
  const server = await startServer(t);
  const metrics = new Metrics(realClock);
  const { informer, log } = await startInformer(t, server, { metrics });
  informer.addHandler({
    onAdd: () => {
      throw new Error('thrown');
    },
  });
  informer.addHandler({ onAdd: () => Promise.reject(new Error('rejected')) as never });
  const seen: string[] = [];
  informer.addHandler({ onAdd: (pod) => seen.push(pod.metadata.name) });
  await informer.waitForSync(AbortSignal.timeout(5000));
  server.resource.put('default/a');
  await until(() => informer.size === 1);
  await delay(1);

  assert.deepEqual(log, ['add a']);
  assert.deepEqual(seen, ['a']);
  let page = '';
  for await (const slice of metrics.render('text')) page += slice;
  assert.match(page, /karpenter_informer_handler_errors_total\{kind="Pod"\} 2/);
});

test('a handler added late learns what is there, and one removed learns no more', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));
  const seen: string[] = [];
  const remove = informer.addHandler({ onAdd: (pod, isInitial) => seen.push(`${pod.metadata.name} ${isInitial}`) });
  server.resource.put('default/b');
  await until(() => seen.length === 2);
  remove();
  server.resource.put('default/c');
  await until(() => informer.size === 3);
  assert.deepEqual(seen, ['a true', 'b false']);
});

test('a handler added in turns learns of a few objects at a time, and of changes at once', async (t) => {
  const server = await startServer(t);
  for (let i = 0; i < 1000; i++) server.resource.put(`default/pod-${i}`);
  const { informer } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));
  const shown = new Set<string>();
  let inThisTurn = 0;
  let most = 0;
  const adding = informer.addHandlerInTurns({
    onAdd: ({ metadata }, isInitial) => {
      if (isInitial) most = Math.max(most, ++inThisTurn);
      shown.add(metadata.name);
    },
    onDelete: ({ metadata }) => shown.delete(metadata.name),
  });
  let isAdding = true;
  const others = (): void => {
    inThisTurn = 0;
    if (isAdding) setImmediate(others);
  };
  setImmediate(others);
  server.resource.put('default/late');
  server.resource.delete('default/pod-999');
  await adding;
  isAdding = false;
  await until(() => shown.has('late') && !shown.has('pod-999'));
  assert.equal(shown.size, 1000);
  assert.ok(most <= 128, `${most} at a time`);
});

test('indexes follow every change', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a', { spec: { nodeName: 'n1' } });
  server.resource.put('default/b', { spec: { nodeName: 'n1' } });
  server.resource.put('default/c');
  const { informer } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));
  const on = (node: string): string[] => informer.byIndex('node', node).map((pod) => pod.metadata.name);
  assert.deepEqual(on('n1'), ['a', 'b']);

  server.resource.put('default/a', { spec: { nodeName: 'n2' } });
  server.resource.delete('default/b');
  await until(() => isInSync(informer, server));
  assert.deepEqual(on('n1'), []);
  assert.deepEqual(on('n2'), ['a']);
});

test('an object deleted and created anew during an outage is deleted and added', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer, log } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));
  server.faults = () => ({ do: 'reset' });
  server.watches[0]?.end();
  server.resource.delete('default/a');
  server.resource.put('default/a');
  server.resource.compact();
  server.faults = () => undefined;
  await until(() => isInSync(informer, server));
  assert.deepEqual(log, ['add a initially', 'delete a', 'add a']);
});

test('what the cache hands out keeps its place when a relist finds it unchanged', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer, log } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));
  const before = informer.get('default/a');
  server.watches[0]?.fail(410, 'expired', false);
  server.resource.put('default/b');
  await until(() => informer.size === 2);
  assert.equal(informer.get('default/a'), before);
  assert.deepEqual(log, ['add a initially', 'add b']);
});

test('waiting for a sync that does not come ends with its signal', async (t) => {
  const server = await startServer(t, { faults: () => ({ do: 'hang' }) });
  const { informer } = await startInformer(t, server);
  await assert.rejects(informer.waitForSync(AbortSignal.timeout(20)), { name: 'TimeoutError' });
  assert.equal(informer.hasSynced, false);
});

test('every ten hours, give or take one, each object is shown again', async (t) => {
  const { informer, clock, requests } = startScripted(t, (request) => ({
    lines: request === 1 ? ONE_POD : [],
    last: 'silence',
  }));
  const log: string[] = [];
  informer.addHandler({ onAdd: () => log.push('add'), onUpdate: (old, pod) => log.push(`update ${old === pod}`) });
  await clock.advance(9 * HOUR - 1 * SECOND); // nine and never more, since chance is told to be 0
  assert.deepEqual(log, ['add']);
  await clock.advance(2 * SECOND);
  assert.deepEqual(log, ['add', 'update true']);
  await clock.advance(9 * HOUR);
  assert.deepEqual(log, ['add', 'update true', 'update true']);
  assert.ok(requests.length > 100, 'silent watches were not renewed');
  assert.equal(requests.filter(({ path }) => path.includes('sendInitialEvents')).length, 1);
});

test('an event sent twice is told once', async (t) => {
  const server = await startServer(t);
  server.resource.put('default/a');
  const { informer, log } = await startInformer(t, server);
  await informer.waitForSync(AbortSignal.timeout(5000));
  const object = server.resource.get('default/a');
  server.watches[0]?.raw(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
  server.resource.put('default/b');
  await until(() => informer.size === 2);
  assert.deepEqual(log, ['add a initially', 'add b']);
});
