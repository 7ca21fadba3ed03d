import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { HttpServer, metricsServer, probeServer, type Routes, sendText } from './http-server.ts';
import { recordingLogger } from './testing/recording-logger.ts';
import { VirtualClock } from './virtual-clock.ts';

async function serve(t: TestContext, routes: Routes) {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const stop = new AbortController();
  const listening = Promise.withResolvers<void>();
  const server = new HttpServer({ port: 0, routes, clock, logger, onListening: () => listening.resolve() });
  const ended = server.start(stop.signal);
  t.after(async () => {
    stop.abort();
    await ended;
  });
  await listening.promise;
  return { url: `http://127.0.0.1:${server.port}`, port: server.port, clock, stop, ended, logger };
}

/** A connection over which this text, which need not be a whole request, has been sent. */
async function open(t: TestContext, port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined); // a reset is one way to be closed
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  if (text !== '') await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

async function untilClosed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket.resume(), 'close');
}

test('a path is served by its own handler, else by the longest subtree it lies in, else not at all', async (t) => {
  const say =
    (text: string): Routes[string] =>
    (_request, response) =>
      sendText(response, 200, text);
  const { url } = await serve(t, { '/a': say('a'), '/b/': say('b/'), '/b/c/': say('b/c/'), '/b/c/d': say('d') });
  const ask = async (path: string): Promise<string> => (await fetch(url + path)).text();
  const answers = await Promise.all(['/a?x=1', '/b/', '/b/x', '/b/c/x', '/b/c/d'].map(ask));
  assert.deepEqual(answers, ['a', 'b/', 'b/', 'b/c/', 'd']);
  for (const path of ['/', '/a/', '/b', '/nope', '/constructor']) assert.equal((await fetch(url + path)).status, 404);
});

test('a handler that throws costs one 500 and an error line, and the next request is served', async (t) => {
  const { url, logger } = await serve(t, {
    '/bad': () => {
      throw new Error('secret');
    },
    '/good': (_request, response) => sendText(response, 200, 'ok'),
  });
  const bad = await fetch(`${url}/bad`);
  assert.deepEqual([bad.status, await bad.text()], [500, 'internal server error\n']);
  assert.equal((await fetch(`${url}/good`)).status, 200);
  assert.equal(logger.lines[0]?.error, 'secret');
});

test('stopping lets an answer under way end, closes idle connections, and takes no new request', async (t) => {
  const answer = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { url, stop, ended } = await serve(t, {
    '/slow': async (_request, response) => {
      asked.resolve();
      await answer.promise;
      sendText(response, 200, 'late');
    },
    '/quick': (_request, response) => sendText(response, 200, 'ok'),
  });
  await (await fetch(`${url}/quick`)).text(); // leaves a kept connection behind
  const slow = fetch(`${url}/slow`, { headers: { connection: 'close' } });
  await asked.promise;
  stop.abort();
  await assert.rejects(fetch(`${url}/quick`, { headers: { connection: 'close' } }));
  answer.resolve();
  assert.equal(await (await slow).text(), 'late');
  await ended;
});

test('stopping closes connections that have sent no whole request at once', async (t) => {
  const { clock, port, stop, ended } = await serve(t, {});
  const sockets = [await open(t, port, ''), await open(t, port, 'GET /metrics HT'), await open(t, port, '')];
  const start = clock.now();
  stop.abort();
  await ended;
  assert.equal(clock.now(), start);
  await Promise.all(sockets.map(untilClosed));
});

test('stopping closes connections that stall after a second, whether they send or read', async (t) => {
  const asked = Promise.withResolvers<void>();
  const { clock, port, stop, ended } = await serve(t, {
    '/endless': (_request, response) => void response.write(Buffer.alloc(64 << 20), () => undefined),
    '/never': () => asked.resolve(),
  });
  const reader = await open(t, port, 'GET /endless HTTP/1.1\r\nhost: a\r\n\r\n');
  await once(reader, 'data');
  reader.pause();
  const sender = await open(t, port, 'POST /never HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc');
  await asked.promise;
  let isOver = false;
  void ended.then(() => (isOver = true));
  stop.abort();
  await clock.advance(999);
  assert.equal(isOver, false);
  await clock.advance(1);
  await ended;
  await Promise.all([reader.resume(), sender].map(untilClosed));
});

test('a connection that is kept alive is closed when the answer under way has ended', async (t) => {
  const answer = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { clock, port, stop, ended } = await serve(t, {
    '/slow': async (_request, response) => {
      asked.resolve();
      await answer.promise;
      sendText(response, 200, 'late');
    },
  });
  const socket = await open(t, port, 'GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
  let text = '';
  socket.on('data', (chunk) => (text += chunk));
  await asked.promise;
  const start = clock.now();
  stop.abort();
  answer.resolve();
  await ended;
  assert.equal(clock.now(), start);
  await untilClosed(socket);
  assert.match(text, /late$/);
});

test('a port that is taken fails the start', async (t) => {
  const other = createServer().listen(0);
  await new Promise((resolve) => other.once('listening', resolve));
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const server = new HttpServer({ port, routes: {}, clock: new VirtualClock(), logger: recordingLogger() });
  await assert.rejects(server.start(new AbortController().signal), /EADDRINUSE/);
});

test('the metrics and probe servers announce themselves in upstream’s words', async () => {
  const logger = recordingLogger();
  const stop = new AbortController();
  const deps = { routes: {}, clock: new VirtualClock(), logger };
  const servers = [metricsServer(0, deps), probeServer(0, deps)];
  const ended = servers.map((server) => server.start(stop.signal));
  while (logger.lines.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await Promise.all(ended);
  const lines = logger.lines.map(({ logger: name, message, fields }) => [name, message, fields]);
  const metrics = 'controller.controller-runtime.metrics';
  assert.deepEqual(
    lines.filter(([name]) => name === metrics),
    [
      [metrics, 'Starting metrics server', {}],
      [metrics, 'Serving metrics server', { bindAddress: ':0', secure: false }],
      [metrics, 'Shutting down metrics server with timeout of 1 minute', {}],
    ],
  );
  const probes = lines.filter(([name]) => name === 'controller');
  assert.deepEqual(
    probes.map(([, message]) => message),
    ['starting server', 'shutting down server'],
  );
  const { name, addr } = probes[0]![2] as { name: string; addr: string };
  assert.equal(name, 'health probe');
  assert.match(addr, /^(\[::\]|0\.0\.0\.0):\d+$/);
});

test('a port that is none is refused with its number', async () => {
  for (const port of [-1, 65_536]) {
    const options = { port, routes: {}, clock: new VirtualClock(), logger: recordingLogger() };
    await assert.rejects(new HttpServer(options).start(new AbortController().signal), {
      message: `error listening on :${port}: a port is a number from 0 to 65535`,
    });
  }
});
