import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { StatusError } from '../client/status-error.ts';
import { SECOND } from '../clock.ts';
import { Metrics } from '../metrics/registry.ts';
import { type RecordingLogger, recordingLogger } from '../testing/recording-logger.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { clientSink } from './client-sink.ts';
import type { CoreEvent, EventDraft } from './event.ts';
import { type EventChange, type EventSink, QueuedRecorder } from './recorder.ts';

/** An API server of events: what it holds, what is wrong with it, how often it was asked. */
class FakeServer implements EventSink {
  readonly events = new Map<string, CoreEvent>();
  failure: Error | undefined;
  hangs = false;
  calls = 0;

  async create(event: CoreEvent): Promise<void> {
    await this.#answer();
    this.events.set(event.metadata.name, event);
  }

  async patch(event: CoreEvent, change: EventChange): Promise<void> {
    await this.#answer();
    const known = this.events.get(event.metadata.name);
    if (known === undefined) throw new StatusError({ code: 404, reason: 'NotFound' });
    this.events.set(event.metadata.name, { ...known, ...change });
  }

  async #answer(): Promise<void> {
    this.calls++;
    if (this.hangs) await new Promise<never>(() => undefined);
    if (this.failure !== undefined) throw this.failure;
  }
}

interface Environment {
  readonly server: FakeServer;
  readonly clock: VirtualClock;
  readonly logger: RecordingLogger;
  readonly recorder: QueuedRecorder;
  readonly dropped: (reason: string) => Promise<number>;
}

function environment(t: TestContext): Environment {
  const server = new FakeServer();
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const logger = recordingLogger();
  const metrics = new Metrics(clock);
  const recorder = new QueuedRecorder({ sink: server, clock, logger, metrics, random: () => 0.5 });
  const stop = new AbortController();
  const running = recorder.start(stop.signal);
  t.after(async () => {
    stop.abort();
    if (!server.hangs) await running;
  });
  const dropped = async (reason: string): Promise<number> => {
    let page = '';
    for await (const slice of metrics.render('text')) page += slice;
    return Number(new RegExp(`karpenter_events_dropped_total\\{reason="${reason}"\\} (\\d+)`).exec(page)?.[1] ?? 0);
  };
  return { server, clock, logger, recorder, dropped };
}

function draft(name: string, more: Partial<EventDraft> = {}): EventDraft {
  const on = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid: `uid-of-${name}` };
  return { on, type: 'Normal', reason: 'Launched', message: 'Launched', ...more };
}

test('an event reaches the server as client-go would write it', async (t) => {
  const { server, clock, recorder } = environment(t);
  recorder.publish(draft('default-x'));
  await clock.flush();
  assert.deepEqual(
    [...server.events.values()],
    [
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'default-x.18867251edfa0000', namespace: 'default' },
        involvedObject: {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodeClaim',
          name: 'default-x',
          uid: 'uid-of-default-x',
        },
        type: 'Normal',
        reason: 'Launched',
        message: 'Launched',
        source: { component: 'karpenter' },
        reportingComponent: 'karpenter',
        reportingInstance: '',
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
      },
    ],
  );
});

test('events of one moment have different names, and one about a pod lives in its namespace', async (t) => {
  const { server, clock, recorder } = environment(t);
  const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'web', name: 'a', uid: 'u' };
  recorder.publish(draft('n', { message: 'one' }), draft('n', { message: 'two' }), draft('', { on: pod }));
  await clock.flush();
  assert.equal(server.events.size, 3);
  assert.deepEqual(
    [...server.events.values()].map(({ metadata }) => metadata.namespace),
    ['default', 'default', 'web'],
  );
});

test('an object whose name cannot be part of an event name gets a UUID for one', async (t) => {
  const { server, clock, recorder } = environment(t);
  recorder.publish(draft('system:node'));
  await clock.flush();
  assert.match([...server.events.keys()][0]!, /^[0-9a-f]{8}-/);
});

test('a repeated event raises the count of its Event, also when that has expired', async (t) => {
  const { server, clock, recorder } = environment(t);
  recorder.publish(draft('n'), draft('n'));
  await clock.flush();
  assert.deepEqual(
    [...server.events.values()].map(({ count }) => count),
    [2],
  );
  server.events.clear();
  recorder.publish(draft('n'));
  await clock.flush();
  assert.deepEqual(
    [...server.events.values()].map(({ count }) => count),
    [3],
  );
});

test('while the server cannot be reached events wait in order, and go when it is back', async (t) => {
  const { server, clock, recorder, logger } = environment(t);
  server.failure = new Error('connection refused');
  recorder.publish(draft('a'), draft('b'));
  await clock.advance(4 * SECOND);
  assert.equal(server.calls, 1);
  await clock.advance(2 * SECOND); // the first retry comes after 0.5 × 10 s
  assert.equal(server.calls, 2);
  server.failure = undefined;
  await clock.advance(10 * SECOND);
  assert.deepEqual(
    [...server.events.values()].map(({ involvedObject }) => involvedObject.name),
    ['a', 'b'],
  );
  assert.equal(logger.lines[0]?.message, 'Unable to write event (may retry after sleeping)');
});

test('after twelve tries an event is given up, and counted', async (t) => {
  const { server, clock, recorder, logger, dropped } = environment(t);
  server.failure = new Error('connection refused');
  recorder.publish(draft('a'));
  await clock.advance(200 * SECOND);
  assert.equal(server.calls, 12);
  assert.equal(await dropped('unreachable'), 1);
  assert.equal(logger.lines.at(-1)?.message, 'Unable to write event (retry limit exceeded!)');
});

test('05/90 a refusal is final: logged and counted, not repeated, and nobody waits', async (t) => {
  const { server, clock, recorder, logger, dropped } = environment(t);
  server.failure = new StatusError({ code: 429, reason: 'TooManyRequests', message: 'slow down' });
  recorder.publish(draft('a'), draft('b'));
  await clock.flush();
  assert.equal(server.calls, 2);
  assert.equal(await dropped('rejected'), 2);
  assert.deepEqual(
    logger.lines.map(({ message, error }) => [message, error]),
    Array.from({ length: 2 }, () => ['Server rejected event (will not retry!)', 'slow down']),
  );
});

test('a namespace that is going away is nothing to log', async (t) => {
  const { server, clock, recorder, logger } = environment(t);
  const details = { causes: [{ reason: 'NamespaceTerminating' }] };
  server.failure = new StatusError({ code: 403, reason: 'Forbidden', details });
  recorder.publish(draft('a'));
  await clock.flush();
  assert.deepEqual([server.calls, logger.lines.length], [1, 0]);
});

test('a thousand events wait at most; further ones are dropped and counted', async (t) => {
  const { server, recorder, logger, dropped } = environment(t);
  server.hangs = true;
  for (let i = 0; i < 1100; i++) recorder.publish(draft(`n-${i}`));
  assert.equal(await dropped('queue_full'), 100);
  assert.equal(logger.lines[0]?.message, 'Unable to record event: too many queued events, dropped event');
});

test('of events that find the queue full the first is logged, and their number when the queue is empty again', async (t) => {
  const { clock, recorder, logger } = environment(t);
  for (const round of ['a', 'b']) {
    for (let i = 0; i < 1100; i++) recorder.publish(draft(`${round}-${i}`));
    await clock.flush();
  }
  const [first, ...others] = logger.lines.map(({ message, fields }) => [message, fields['events']]);
  assert.equal(first?.[0], 'Unable to record event: too many queued events, dropped event');
  assert.deepEqual(others, [
    ['dropped events because too many were queued', 100],
    ['Unable to record event: too many queued events, dropped event', undefined],
    ['dropped events because too many were queued', 100],
  ]);
});

test('flushing sends what is queued', async (t) => {
  const { server, clock, recorder } = environment(t);
  for (let i = 0; i < 100; i++) recorder.publish(draft(`n-${i}`));
  await clock.runUntil(recorder.flush(5 * SECOND));
  assert.equal(server.events.size, 100);
});

test('flushing tries each event once more and does not wait for a server that is away', async (t) => {
  const { server, clock, recorder, dropped } = environment(t);
  server.failure = new Error('connection refused');
  for (let i = 0; i < 3; i++) recorder.publish(draft(`n-${i}`));
  await clock.flush();
  const before = clock.now();
  await clock.runUntil(recorder.flush(5 * SECOND));
  assert.equal(clock.now(), before);
  assert.equal(await dropped('unreachable'), 3);
});

for (const [server, answerTime, events, flushTime] of [
  ['says nothing', 60 * SECOND, 2, 1 * SECOND],
  ['is slow', 0.8 * SECOND, 100, 5 * SECOND],
] as const) {
  test(`flushing a server that ${server} ends after ${flushTime / SECOND} s`, async () => {
    const clock = new VirtualClock();
    const answer = (_: unknown, signal: AbortSignal): Promise<void> => clock.sleep(answerTime, signal);
    const sink: EventSink = { create: answer, patch: () => Promise.resolve() };
    const recorder = new QueuedRecorder({ sink, clock, logger: recordingLogger(), metrics: new Metrics(clock) });
    const stop = new AbortController();
    const running = recorder.start(stop.signal);
    for (let i = 0; i < events; i++) recorder.publish(draft(`n-${i}`));
    const before = clock.now();
    await clock.runUntil(recorder.flush(5 * SECOND));
    assert.equal(clock.now() - before, flushTime);
    stop.abort();
    await running;
  });
}

test('through the client events are created in their namespace and counted by strategic patch', async () => {
  const calls: unknown[] = [];
  const answer = (...call: unknown[]): Promise<never> => {
    calls.push(call.slice(0, -1));
    return Promise.resolve(undefined as never);
  };
  const sink = clientSink({ create: answer, patch: answer });
  const event = { metadata: { name: 'n.1', namespace: 'web' } } as CoreEvent;
  const change = { count: 2, lastTimestamp: '2026-01-01T00:00:00Z', message: 'm' };
  await sink.create(event, AbortSignal.timeout(1000));
  await sink.patch(event, change, AbortSignal.timeout(1000));
  const type = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
  assert.deepEqual(calls, [
    [type, event, {}],
    [type, event.metadata, { type: 'strategic', body: change }, {}],
  ]);
});
