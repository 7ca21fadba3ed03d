import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, SECOND } from '../clock.ts';
import { AdjustableClock } from '../testing/adjustable-clock.ts';
import { Metrics } from '../metrics/registry.ts';
import { PODS } from '../testing/fixture-client.ts';
import { SilenceableTransport } from '../testing/silent-server.ts';
import { VirtualClock } from '../virtual-clock.ts';
import type { CallerOptions, WriteEnd } from './caller.ts';
import { Client, userAgent } from './client.ts';
import { inProcessTransport } from './in-process-transport.ts';
import { requestMetrics } from './request-metrics.ts';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import { isConflict, isNotFound } from './status-error.ts';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from './transport.ts';
import { NODE_POOLS } from '@karpenter-ts/apis';

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown } | Error;

function respond({ status = 200, headers = {}, body = {} }: Exclude<Answer, Error>): TransportResponse {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  async function* read(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3); // inside characters, too
  }
  return { status, headers, body: read(), discard: () => {} };
}

/** A client whose server gives these answers in turn, the last one for ever. */
function clientOf(answers: readonly Answer[], options: Partial<CallerOptions> = {}) {
  const clock = new VirtualClock();
  const requests: TransportRequest[] = [];
  const transport = inProcessTransport(async (request) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? {};
    requests.push(request);
    if (answer instanceof Error) throw answer;
    return respond(answer);
  }, clock);
  const client = new Client({ transport, clock, userAgent: userAgent('1.14.1'), ...options });
  return { client, clock, requests };
}

const pod = { metadata: { name: 'web', namespace: 'shop' } } satisfies ApiObject;

test('each verb has its method, path and media type', async () => {
  const { client, requests } = clientOf([{}]);
  await client.get(PODS, { namespace: 'shop', name: 'web' });
  await client.create(PODS, pod, { fieldManager: 'karpenter' });
  await client.update(NODE_POOLS, { metadata: { name: 'default' } }, { subresource: 'status' });
  await client.patch(PODS, pod.metadata, { type: 'json', body: [] });
  await client.patch(PODS, pod.metadata, { type: 'merge', body: {} });
  await client.patch(PODS, pod.metadata, { type: 'strategic', body: {} }, { dryRun: true });
  await client.patch(NODE_POOLS, { name: 'default' }, { type: 'apply', body: {}, force: true }, { fieldManager: 'me' });
  await client.create(PODS, pod, { subresource: 'eviction' });
  await client.delete(PODS, pod.metadata);
  assert.deepEqual(
    requests.map(({ method, path, headers }) => `${method} ${path} ${headers['content-type'] ?? ''}`.trim()),
    [
      'GET /api/v1/namespaces/shop/pods/web',
      'POST /api/v1/namespaces/shop/pods?fieldManager=karpenter application/json',
      'PUT /apis/karpenter.sh/v1/nodepools/default/status application/json',
      'PATCH /api/v1/namespaces/shop/pods/web application/json-patch+json',
      'PATCH /api/v1/namespaces/shop/pods/web application/merge-patch+json',
      'PATCH /api/v1/namespaces/shop/pods/web?dryRun=All application/strategic-merge-patch+json',
      'PATCH /apis/karpenter.sh/v1/nodepools/default?fieldManager=me&force=true application/apply-patch+yaml',
      'POST /api/v1/namespaces/shop/pods/web/eviction application/json',
      'DELETE /api/v1/namespaces/shop/pods/web application/json',
    ],
  );
  assert.equal(requests[0]?.headers['user-agent'], 'karpenter/1.14.1');
});

test('a delete carries grace, policy and preconditions', async () => {
  const { client, requests } = clientOf([{}]);
  await client.delete(PODS, pod.metadata, {
    gracePeriodSeconds: 0,
    propagationPolicy: 'Background',
    preconditions: { uid: 'u1', resourceVersion: '7' },
  });
  assert.deepEqual(JSON.parse(String(requests[0]?.body)), {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds: 0,
    propagationPolicy: 'Background',
    preconditions: { uid: 'u1', resourceVersion: '7' },
  });
});

test('objects come back whole, whatever the bytes are cut into', async () => {
  const body = { metadata: { name: 'web', annotations: { note: 'grün €😀' } }, unknownField: [1, { a: null }] };
  const { client } = clientOf([{ body }]);
  assert.deepEqual(await client.get(PODS, pod.metadata), body);
});

test('a refusal rejects with the server’s Status', async () => {
  const status = { kind: 'Status', code: 409, reason: 'Conflict', message: 'the object has been modified' };
  const { client } = clientOf([{ status: 409, body: status }]);
  await assert.rejects(client.update(PODS, pod), (error) => isConflict(error) && error.message === status.message);
});

test('a list is fetched page by page, its members named as in a watch', async () => {
  const page = (name: string, next?: string) => ({
    body: { metadata: { resourceVersion: '9', continue: next }, items: [{ metadata: { name } }] },
  });
  const { client, requests } = clientOf([page('a', 'more'), page('b')]);
  const { items, resourceVersion } = await client.listAll(PODS, {
    labelSelector: 'app=web',
    namespace: 'shop',
    pageSize: 1,
  });
  assert.deepEqual(items, [
    { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } },
    { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'b' } },
  ]);
  assert.equal(resourceVersion, '9');
  assert.deepEqual(
    requests.map(({ path }) => path),
    [
      '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&limit=1',
      '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&limit=1&continue=more',
    ],
  );
});

test('an empty list whose items are null is an empty list', async () => {
  const { client } = clientOf([{ body: { metadata: { resourceVersion: '1' }, items: null } }]);
  assert.deepEqual((await client.listAll(PODS)).items, []);
});

test('a busy server is asked again when it says so, and only then', async () => {
  const busy = { status: 429, headers: { 'retry-after': '2' } };
  const { client, clock, requests } = clientOf([busy, { status: 503, headers: { 'retry-after': '1' } }, {}]);
  const answer = client.get(PODS, pod.metadata);
  await clock.advance(1.9 * SECOND);
  assert.equal(requests.length, 1);
  await clock.advance(1.1 * SECOND);
  await answer;
  assert.equal(requests.length, 3);

  const refusing = clientOf([{ status: 429 }]);
  await assert.rejects(refusing.client.get(PODS, pod.metadata), { code: 429 });
  assert.equal(refusing.requests.length, 1);

  const stubborn = clientOf([busy]);
  await assert.rejects(stubborn.client.get(PODS, pod.metadata, { retries: 0 }), { code: 429, retryAfterSeconds: 2 });
});

test('a time of 0 s is one the server names; what is no number of seconds is none, and nor is more than a minute', async () => {
  for (const [header, requests] of [
    ['0', 2],
    ['1', 2],
    ['60', 2],
    ['61', 1],
    ['86400', 1],
    ['soon', 1],
    ['-1', 1],
    ['1.5', 1],
  ] as const) {
    const asked = clientOf([{ status: 429, headers: { 'retry-after': header } }, {}]);
    await asked.clock.runUntil(asked.client.get(PODS, pod.metadata).catch(() => undefined));
    assert.equal(asked.requests.length, requests, header);
  }
});

test('a read whose connection broke is tried again, a write is not', async () => {
  const reset = new ConnectionError('reset', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
  const { client, clock, requests } = clientOf([reset, {}]);
  const answer = client.get(PODS, pod.metadata);
  await clock.advance(1 * SECOND);
  await answer;
  assert.equal(requests.length, 2);
  await assert.rejects(clientOf([reset, {}]).client.create(PODS, pod), ConnectionError);
});

test('after an error of the server only what can be sent again without harm is sent again', async () => {
  const requests = async (write: (client: Client) => Promise<unknown>, status: number): Promise<number> => {
    const { client, clock, requests: sent } = clientOf([{ status, headers: { 'retry-after': '1' } }, {}]);
    await clock.runUntil(write(client).catch(() => undefined));
    return sent.length;
  };
  const unnamed = { metadata: { name: '', namespace: 'shop', generateName: 'web-' } };
  for (const status of [500, 503, 504]) {
    assert.equal(await requests((client) => client.create(PODS, unnamed), status), 1, 'a name made by the server');
    assert.equal(await requests((client) => client.create(PODS, pod, { subresource: 'eviction' }), status), 1);
    assert.equal(await requests((client) => client.patch(PODS, pod.metadata, { type: 'json', body: [] }), status), 1);
    assert.equal(await requests((client) => client.create(PODS, pod), status), 2, 'there is one pod of a name');
    assert.equal(await requests((client) => client.patch(PODS, pod.metadata, { type: 'merge', body: {} }), status), 2);
    assert.equal(await requests((client) => client.delete(PODS, pod.metadata), status), 2);
  }
  assert.equal(await requests((client) => client.create(PODS, unnamed), 429), 2, 'nothing has been stored');
});

test('a server that does not answer is given up after a minute, or the time asked for', async () => {
  const clock = new VirtualClock();
  const silent = {
    send: (_request: TransportRequest, signal?: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    close: () => {},
  };
  const client = new Client({ transport: silent, clock, userAgent: 'karpenter/test' });
  const outcomes: string[] = [];
  client.get(PODS, pod.metadata).catch((error: Error) => outcomes.push(error.message));
  client.get(PODS, pod.metadata, { timeout: 5 * SECOND }).catch((error: Error) => outcomes.push(error.message));
  await clock.advance(5 * SECOND);
  assert.deepEqual(outcomes, ['no answer from the API server within 5s']);
  await clock.advance(55 * SECOND);
  assert.equal(outcomes[1], 'no answer from the API server within 60s');

  const stop = new AbortController();
  const cancelled = client.get(PODS, pod.metadata, {}, stop.signal);
  stop.abort(new Error('stopping'));
  await assert.rejects(cancelled, { message: 'stopping' });
});

test('a redirection is no answer, of a call and of a watch', async () => {
  const { client } = clientOf([{ status: 302, headers: { location: '/login' }, body: '' }]);
  await assert.rejects(client.read('/version'), { name: 'StatusError', code: 302 });
  await assert.rejects(client.watch(PODS).next(), { name: 'StatusError', code: 302 });
});

test('a list that does not go on ends', async () => {
  const { client } = clientOf([{ body: { metadata: { resourceVersion: '7', continue: 'more' }, items: [] } }]);
  await assert.rejects(client.listAll(PODS), {
    name: 'ConnectionError',
    message: 'the API server answered with the same page of pods again',
  });
});

test('a list in one piece may have any number of items', async () => {
  const items = Array.from({ length: 150_000 }, () => ({ metadata: {} }));
  const { client } = clientOf([{ body: { metadata: { resourceVersion: '7' }, items } }]);
  assert.equal((await client.listAll(PODS)).items.length, 150_000);
});

test('a watch asks for what it is told and throws what the server refuses', async () => {
  const { client, requests } = clientOf([{ status: 403, body: 'no' }]);
  const options = {
    resourceVersion: '5',
    allowWatchBookmarks: true,
    timeoutSeconds: 300,
    fieldSelector: 'spec.nodeName=n1',
  };
  await assert.rejects(client.watch(PODS, options).next(), { code: 403 });
  assert.equal(
    requests[0]?.path,
    '/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dn1&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300',
  );
});

test('a watch uses the connections for watches, a call those of its client', async () => {
  const { client, requests } = clientOf([{}], { purpose: 'probes' });
  await client.read('/version');
  await client.watch(PODS).next();
  assert.deepEqual(
    requests.map(({ purpose }) => purpose),
    ['probes', 'watches'],
  );
});

test('a kind is served when the server lists it', async () => {
  const { client } = clientOf([
    { body: { resources: [{ name: 'nodepools' }] } },
    { body: { resources: [] } },
    { status: 404 },
  ]);
  assert.equal(await client.serves(NODE_POOLS), true);
  assert.equal(await client.serves(NODE_POOLS), false);
  assert.equal(await client.serves(NODE_POOLS), false);
});

test('a missing object is NotFound also when a proxy answered', async () => {
  const { client } = clientOf([{ status: 404, body: '<html>' }]);
  await assert.rejects(client.get(NODE_POOLS, { name: 'x' }), isNotFound);
});

test('the guard of writes runs before each write and stops it, reads go unguarded', async () => {
  let leads = true;
  const beforeWrite = (): void => {
    if (!leads) throw new Error('not the leader');
  };
  const { client, requests } = clientOf([{}], { beforeWrite });
  await client.create(PODS, pod);
  leads = false;
  await assert.rejects(client.patch(PODS, pod.metadata, { type: 'merge', body: {} }), { message: 'not the leader' });
  await client.get(PODS, pod.metadata);
  assert.deepEqual(
    requests.map(({ method }) => method),
    ['POST', 'GET'],
  );
});

test('a caller who gives up leaves reads at once, and writes that have been sent after the grace for an answer', async () => {
  const clock = new VirtualClock();
  const transport = new SilenceableTransport(inProcessTransport(async () => respond({}), clock));
  const ends: boolean[] = [];
  const beforeWrite = (): WriteEnd => (isOver) => void ends.push(isOver);
  const client = new Client({ transport, clock, userAgent: '', beforeWrite, writeGrace: 1 * SECOND });
  transport.isSilent = true;
  const stop = new AbortController();
  const start = clock.now();
  const outcomes: string[] = [];
  const note = (what: string) => (error: Error) => {
    outcomes.push(`${what} after ${clock.now() - start} ms: ${error.message}`);
  };
  void client.get(PODS, pod.metadata, {}, stop.signal).catch(note('read'));
  void client.create(PODS, pod, {}, stop.signal).catch(note('write'));
  await clock.flush();
  stop.abort(new Error('stopping'));
  void client.create(PODS, pod, {}, stop.signal).catch(note('later write'));
  await clock.advance(2 * SECOND);
  assert.deepEqual(outcomes, [
    'read after 0 ms: stopping',
    'later write after 0 ms: stopping',
    'write after 1000 ms: stopping',
  ]);
  assert.deepEqual(ends, [false]);
  assert.equal(transport.unanswered.length, 2);
});

test('who guards writes hears that one is over when it is answered, breaks off or takes too long', async () => {
  const clock = new VirtualClock();
  const answers = [respond({}), respond({ status: 500 }), new ConnectionError('broken')];
  const handle = async () => {
    const answer = answers.shift() as TransportResponse | Error;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const transport = new SilenceableTransport(inProcessTransport(handle, clock));
  const ends: boolean[] = [];
  const beforeWrite = (): WriteEnd => (isOver) => void ends.push(isOver);
  const client = new Client({ transport, clock, userAgent: '', beforeWrite });
  await client.create(PODS, pod);
  await assert.rejects(client.create(PODS, pod));
  await assert.rejects(client.create(PODS, pod));
  transport.isSilent = true;
  const late = assert.rejects(client.create(PODS, pod), /no answer from the API server within 60s/);
  await clock.advance(60 * SECOND);
  await late;
  assert.deepEqual(ends, [true, true, true, true]);
});

test('who guards writes hears of the end of each, also of one that was sent again with a fresh credential', async () => {
  const clock = new VirtualClock();
  const server = inProcessTransport(async () => respond({}), clock);
  const transport: Transport = {
    send: (request, signal) => {
      request.beforeSend?.(); // answered 401: the transport repeats it
      return server.send(request, signal);
    },
    close: () => server.close(),
  };
  let underWay = 0;
  let leads = true;
  const beforeWrite = (): WriteEnd => {
    if (!leads) throw new Error('not the leader');
    underWay++;
    return () => void underWay--;
  };
  const client = new Client({ transport, clock, userAgent: '', beforeWrite });
  await client.create(PODS, pod);
  assert.equal(underWay, 0);
  const losing = (): WriteEnd => {
    const end = beforeWrite();
    leads = false; // by the time it is sent again
    return end;
  };
  const loser = new Client({ transport, clock, userAgent: '', beforeWrite: losing });
  await assert.rejects(loser.create(PODS, pod), { message: 'not the leader' });
  assert.equal(underWay, 0);
});

test('a request takes as long as it takes, though the wall clock is set back meanwhile', async () => {
  const clock = new AdjustableClock();
  const seconds: number[] = [];
  const observer = { answered: () => {}, finished: (_: string, _of: unknown, took: number) => void seconds.push(took) };
  const busy = { status: 503, headers: { 'retry-after': '2' } };
  const { client } = clientOf([busy, {}], { clock, observer });
  const asked = client.get(PODS, { namespace: 'shop', name: 'web' });
  await clock.advance(1 * SECOND);
  clock.setWallBy(-1 * HOUR);
  await clock.advance(1 * SECOND);
  await asked;
  assert.deepEqual(seconds, [2]);
});

test('requests are counted by code and timed by verb and kind', async () => {
  const metrics = new Metrics(new VirtualClock());
  const { client } = clientOf([{}, {}, { status: 404 }, new ConnectionError('refused')], {
    observer: requestMetrics(metrics),
  });
  await client.create(PODS, pod, { subresource: 'eviction' });
  await client.read('/version'); // counted, not timed
  await client.update(NODE_POOLS, { metadata: { name: 'x' } }).catch(() => {});
  await client.listAll(NODE_POOLS).catch(() => {});
  let page = '';
  for await (const slice of metrics.render('text')) page += slice;
  const samples = page.split('\n').filter((line) => /^client_go_request_(total|duration_seconds_count)/.test(line));
  assert.deepEqual(samples.sort(), [
    'client_go_request_duration_seconds_count{group="",kind="pods",subresource="eviction",verb="CREATE",version="v1"} 1',
    'client_go_request_duration_seconds_count{group="karpenter.sh",kind="nodepools",subresource="",verb="LIST",version="v1"} 1',
    'client_go_request_duration_seconds_count{group="karpenter.sh",kind="nodepools",subresource="",verb="UPDATE",version="v1"} 1',
    'client_go_request_total{code="200",method="GET"} 1',
    'client_go_request_total{code="200",method="POST"} 1',
    'client_go_request_total{code="404",method="PUT"} 1',
    'client_go_request_total{code="<error>",method="GET"} 1',
  ]);
});

test('whole numbers of 64 bits are sent back as they came', async () => {
  const text = '{"metadata":{"name":"web","namespace":"shop"},"spec":{"a":9223372036854775807,"b":9007199254740993}}';
  const { client, requests } = clientOf([{ body: text }]);
  const read = await client.get<ApiObject>(PODS, { namespace: 'shop', name: 'web' });
  await client.update(PODS, { ...read });
  assert.equal(requests.at(-1)?.body, text);
});
