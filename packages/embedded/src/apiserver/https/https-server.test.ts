import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get as getPlain, type IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import type { RequestHandler, TransportRequest } from '@karpenter-ts/runtime';
import { readFields } from '../protobuf/wire.ts';
import { issueCertificate } from './certificates.ts';
import { serveHttps } from './https-server.ts';

const CERTIFICATE = issueCertificate(Date.now());
const TOKEN = 'correct-horse';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: JsonObject;
}

/** A front that stops with the test, and a client of it. */
async function startHttpsServer(t: TestContext, handler: RequestHandler = echo) {
  const stop = new AbortController();
  const front = await serveHttps({ handler, certificate: CERTIFICATE, token: TOKEN }, stop.signal);
  t.after(async () => {
    stop.abort();
    await front.closed;
  });
  const ask = (options: RequestOptions & { body?: string | Buffer } = {}): Promise<Answer> =>
    send(front.url, {
      ca: CERTIFICATE.ca,
      servername: 'localhost',
      agent: false,
      ...options,
      headers: { ...AUTHORIZED, ...options.headers },
    });
  return { url: front.url, stop, closed: front.closed, ask };
}

async function send(url: string, { body, ...options }: RequestOptions & { body?: string | Buffer }): Promise<Answer> {
  const asked = request(url, options);
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks = (await response.toArray()) as Buffer[];
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) as JsonObject };
}

const json = (body: JsonObject, status = 200) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: (async function* () {
    yield Buffer.from(JSON.stringify(body));
  })(),
  discard: () => {},
});

/** Tells what it was asked. */
const echo: RequestHandler = async ({ method, path, body }: TransportRequest) =>
  json({ method, path, size: body?.length ?? 0 }, 201);

test('a request with the token reaches the server, body and query included', async (t) => {
  const { ask } = await startHttpsServer(t);
  const { status, headers, body } = await ask({ method: 'POST', path: '/api/v1/pods?dryRun=All', body: '{"a":1}' });
  assert.equal(status, 201);
  assert.equal(headers['content-type'], 'application/json');
  assert.deepEqual(body, { method: 'POST', path: '/api/v1/pods?dryRun=All', size: 7 });
  assert.equal(headers['content-length'], String(JSON.stringify(body).length), 'one piece, not in chunks');
});

test('no token, a wrong one and another scheme are unauthorized, in the real server’s words', async (t) => {
  const { ask } = await startHttpsServer(t);
  for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`]) {
    const { status, body } = await ask({ headers: { authorization } });
    assert.equal(status, 401, authorization);
    assert.deepEqual(body, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
  }
});

test('a web page is refused, even one that knows the token', async (t) => {
  const { ask } = await startHttpsServer(t);
  for (const origin of ['https://example.com', 'null', 'https://localhost:3000']) {
    const { status, headers } = await ask({ headers: { origin } });
    assert.equal(status, 403, origin);
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
});

test('a browser that asks whether it may is told nothing', async (t) => {
  const { ask } = await startHttpsServer(t);
  const { status, headers } = await ask({ method: 'OPTIONS' });
  assert.equal(status, 405);
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('access-control')),
    [],
  );
});

test('a name that was made to point here is not this machine', async (t) => {
  const { ask, url } = await startHttpsServer(t);
  const { port } = new URL(url);
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', '10.0.0.1', 'localhost.']) {
    assert.equal((await ask({ headers: { host } })).status, 403, host);
  }
  for (const host of [`127.0.0.1:${port}`, 'localhost', `localhost:${port}`, `[::1]:${port}`]) {
    assert.equal((await ask({ headers: { host } })).status, 201, host);
  }
});

test('three mebibytes are taken and four are too large, whether their size is announced or not', async (t) => {
  const { ask } = await startHttpsServer(t);
  const body = (mebibytes: number) => Buffer.alloc(mebibytes * 1024 * 1024, 'x');
  assert.deepEqual((await ask({ method: 'POST', body: body(3) })).body['size'], 3 * 1024 * 1024);
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
    const { status, body: refusal } = await ask({ method: 'POST', headers, body: body(4) });
    assert.equal(status, 413);
    assert.equal(refusal['message'], 'Request entity too large: limit is 3145728');
  }
});

test('behind the front all is JSON: protobuf is translated', async (t) => {
  const asked = Promise.withResolvers<TransportRequest>();
  const { ask } = await startHttpsServer(t, async (sent) => {
    asked.resolve(sent);
    return json({});
  });
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
  const body = Buffer.from('azhzAAoPCgJ2MRIJQ29uZmlnTWFwEgcKBQoBYxIAGgAiAA==', 'base64'); // kubectl create configmap c
  assert.equal((await ask({ method: 'POST', headers, body })).status, 200);
  const { headers: passed, body: translated } = await asked.promise;
  assert.equal(passed['content-type'], 'application/json');
  assert.deepEqual(JSON.parse(String(translated)), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
  assert.equal((await ask({ method: 'POST', headers, body: 'k8s\0\xff' })).status, 400);
});

test('who asks for the OpenAPI of old gets an empty document', async (t) => {
  const { url } = await startHttpsServer(t);
  const response = await watch(`${url}/openapi/v2?timeout=32s`);
  assert.match(String(response.headers['content-type']), /spec\.v2.*protobuf/);
  const chunks = (await response.toArray()) as Buffer[];
  assert.deepEqual([...readFields(Buffer.concat(chunks))], [{ number: 1, value: Buffer.from('2.0') }]);
});

test('without TLS there is no answer', async (t) => {
  const { url } = await startHttpsServer(t);
  const asked = getPlain(url.replace('https:', 'http:'), { agent: false, headers: AUTHORIZED });
  await assert.rejects(once(asked, 'response'), { code: 'ECONNRESET' });
});

test('a failure of the server is told as one', async (t) => {
  const { ask } = await startHttpsServer(t, () => Promise.reject(new Error('boom')));
  const { status, body } = await ask();
  assert.deepEqual([status, body['reason'], body['message']], [500, 'InternalError', 'Error: boom']);
});

/** A watch: two chunks at once, then nothing until its end. */
function watching() {
  const ended = Promise.withResolvers<void>();
  const discarded = Promise.withResolvers<void>();
  const handler: RequestHandler = async (_, signal) => {
    signal.addEventListener('abort', () => ended.resolve());
    const body = (async function* () {
      yield Buffer.from('one\n');
      yield Buffer.from('two\n');
      await ended.promise;
    })();
    return { status: 200, headers: {}, body, discard: () => discarded.resolve() };
  };
  return { handler, ended: ended.promise, discarded: discarded.promise };
}

async function watch(url: string) {
  const asked = request(url, { ca: CERTIFICATE.ca, agent: false, headers: AUTHORIZED }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response;
}

test('a watch is passed on as it goes, and ends for the server when its client leaves', async (t) => {
  const { handler, ended, discarded } = watching();
  const { url } = await startHttpsServer(t, handler);
  const response = await watch(url);
  let text = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (text === 'one\ntwo\n') break; // closes the connection
  }
  await ended;
  await discarded;
  assert.equal(text, 'one\ntwo\n');
});

test('an answer in many pieces arrives whole, in order, and no faster than it is read', async (t) => {
  const line = (i: number): string => `${i} ${'x'.repeat(1000)}\n`;
  let made = 0;
  const body = async function* () {
    for (; made < 12_000; made++) yield Buffer.from(line(made));
  };
  const { url } = await startHttpsServer(t, async () => ({
    status: 200,
    headers: {},
    body: body(),
    discard: () => {},
  }));
  const response = await watch(url);
  await setTimeout(100); // the client does not read yet
  assert.ok(made < 12_000, 'the server waits');
  const chunks = (await response.toArray()) as Buffer[];
  const expected = Array.from({ length: 12_000 }, (_, i) => line(i)).join('');
  assert.ok(Buffer.concat(chunks).equals(Buffer.from(expected)));
});

test('stopping ends what is under way and frees the port', async (t) => {
  const { handler, ended } = watching();
  const { url, stop, closed } = await startHttpsServer(t, handler);
  const response = await watch(url);
  const left = assert.rejects(response.toArray(), { code: 'ECONNRESET' });
  stop.abort();
  await ended;
  await closed;
  await left;
  await assert.rejects(watch(url), { code: 'ECONNREFUSED' });
});
