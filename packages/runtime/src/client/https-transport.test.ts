import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { SECOND } from '../clock.ts';
import { realClock } from '../real-clock.ts';
import {
  CA,
  FIRST_CLIENT,
  NAMED_SERVER,
  ROTATED_CA,
  ROTATED_SERVER,
  SECOND_CLIENT,
  SERVER,
  type TestCertificate,
} from '../testing/certificates.ts';
import { testConnection, testTransport } from '../testing/fixture-client.ts';
import type { Connection } from './connection.ts';
import type { HttpsTransport } from './https-transport.ts';
import { ConnectionError, type TransportRequest } from './transport.ts';

const GET: TransportRequest = { method: 'GET', path: '/version', headers: {} };

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const hello: Handle = (_request, response) => response.end('hello');

interface SecureServer {
  readonly server: Server;
  readonly url: string;
  readonly sockets: Set<Duplex>;
}

async function serve(t: TestContext, certificate: TestCertificate, handle: Handle = hello): Promise<SecureServer> {
  const server = createServer({ ...certificate, ca: CA, requestCert: true, rejectUnauthorized: false }, handle);
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, sockets, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function transportTo(t: TestContext, url: string, rest: Partial<Connection> = {}, clock = realClock): HttpsTransport {
  const transport = testTransport(testConnection(url, { ca: { data: CA }, ...rest }), clock);
  t.after(() => transport.close());
  return transport;
}

async function textOf(transport: HttpsTransport, request = GET, signal?: AbortSignal): Promise<string> {
  const { body } = await transport.send(request, signal);
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A clock by which more time has passed than really has. */
function movableClock() {
  let offset = 0;
  return { ...realClock, elapsed: () => realClock.elapsed() + offset, pass: (ms: number) => void (offset += ms) };
}

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('requests share a kept connection', async (t) => {
  const { url, sockets } = await serve(t, SERVER);
  const transport = transportTo(t, url);
  for (let i = 0; i < 50; i++) assert.equal(await textOf(transport), 'hello');
  assert.equal(sockets.size, 1);
});

test('the lease, watches and probes are served while requests hold all connections they may have', async (t) => {
  const held: ServerResponse[] = [];
  const { url } = await serve(t, SERVER, (request, response) => {
    if (request.url === '/slow') held.push(response);
    else hello(request, response);
  });
  const transport = transportTo(t, url);
  const stop = new AbortController();
  for (let i = 0; i < 300; i++) transport.send({ ...GET, path: '/slow' }, stop.signal).catch(() => undefined);
  for (let waited = 0; held.length < 256 && waited < 2000; waited++) await delay(10);
  for (const purpose of ['lease', 'watches', 'probes'] as const) {
    assert.equal(await textOf(transport, { ...GET, purpose }, AbortSignal.timeout(20_000)), 'hello');
  }
  assert.equal(held.length, 256);
  stop.abort();
});

test('a server of another CA is refused, unless checking is off', async (t) => {
  const { url } = await serve(t, ROTATED_SERVER);
  await assert.rejects(transportTo(t, url).send(GET), ConnectionError);
  assert.equal(await textOf(transportTo(t, url, { insecureSkipTlsVerify: true })), 'hello');
});

test('tls-server-name is what the certificate must carry', async (t) => {
  const { url } = await serve(t, NAMED_SERVER);
  await assert.rejects(transportTo(t, url).send(GET), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  assert.equal(await textOf(transportTo(t, url, { tlsServerName: 'api.internal' })), 'hello');
});

test('a path before the API and headers of impersonation are sent', async (t) => {
  const { url } = await serve(t, SERVER, (request, response) =>
    response.end([request.url, request.headers['impersonate-user'], request.headers['impersonate-group']].join(' ')),
  );
  const impersonation = { 'impersonate-user': 'jane', 'impersonate-group': ['dev', 'ops'] };
  const transport = transportTo(t, `${url}/k8s/clusters/a`, { impersonation });
  assert.equal(await textOf(transport), '/k8s/clusters/a/version jane dev, ops');
});

test('a client certificate that changes on disk is used for new connections', async (t) => {
  const folder = await folderOf(t);
  const { url } = await serve(t, SERVER, (request, response) =>
    response.end((request.socket as TLSSocket).getPeerCertificate().subject.CN),
  );
  const write = async ({ cert, key }: TestCertificate) => {
    await writeFile(join(folder, 'cert'), cert);
    await writeFile(join(folder, 'key'), key);
  };
  await write(FIRST_CLIENT);
  const clock = movableClock();
  const certificate = { cert: { file: join(folder, 'cert') }, key: { file: join(folder, 'key') } };
  const transport = transportTo(t, url, { certificate }, clock);
  assert.equal(await textOf(transport), 'first');
  await write(SECOND_CLIENT);
  assert.equal(await textOf(transport), 'first');
  clock.pass(60 * SECOND);
  assert.equal(await textOf(transport), 'second');
});

test('a rotated CA is picked up after the first failure', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'ca');
  await writeFile(file, CA);
  const before = await serve(t, SERVER);
  const transport = transportTo(t, before.url, { ca: { file } });
  assert.equal(await textOf(transport), 'hello');

  before.server.setSecureContext(ROTATED_SERVER);
  for (const socket of before.sockets) socket.destroy();
  await delay(10);
  await assert.rejects(transport.send(GET), ConnectionError);
  await writeFile(file, `${CA}\n${ROTATED_CA}`);
  assert.equal(await textOf(transport), 'hello');
});

test('a client certificate that cannot be read is a ConnectionError, until it can', async (t) => {
  const folder = await folderOf(t);
  const [cert, key] = [join(folder, 'cert'), join(folder, 'key')];
  await writeFile(cert, 'half written');
  await writeFile(key, SERVER.key);
  const { url } = await serve(t, SERVER);
  const transport = transportTo(t, url, { certificate: { cert: { file: cert }, key: { file: key } } });
  await assert.rejects(transport.send(GET), { name: 'ConnectionError', message: /^the certificates cannot be used: / });
  await writeFile(cert, SERVER.cert);
  assert.equal(await textOf(transport), 'hello');
});

test('a request answered 401 is repeated once with the token of now', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'token');
  await writeFile(file, 'old');
  const seen: (string | undefined)[] = [];
  const { url } = await serve(t, SERVER, (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(request.headers.authorization === 'Bearer new' ? 200 : 401).end('answer');
  });
  const transport = transportTo(t, url, { identity: { kind: 'tokenFile', file } });
  assert.equal((await transport.send(GET)).status, 401); // nothing fresher to be had: not repeated
  await writeFile(file, 'new');
  assert.equal((await transport.send(GET)).status, 200);
  assert.deepEqual(seen, ['Bearer old', 'Bearer old', 'Bearer new']);
});

test('a request whose credential plugin hangs ends with its signal, and the plugin with the transport', async (t) => {
  const { url } = await serve(t, SERVER);
  const plugin = {
    command: 'sleep',
    args: ['1000'],
    env: {},
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
    installHint: '',
  } as const;
  const transport = transportTo(t, url, { identity: { kind: 'exec', plugin } });
  const deadline = new AbortController();
  const [hasty, other] = [transport.send(GET, deadline.signal), transport.send(GET)];
  deadline.abort(new Error('too late'));
  await assert.rejects(hasty, { message: 'too late' });
  transport.close();
  await assert.rejects(other, { name: 'ConnectionError', message: 'transport is closed' });
});

test('the guard of a write runs when the connection is ready, and what it throws is the outcome', async (t) => {
  let requests = 0;
  const { url, server } = await serve(t, SERVER, (request, response) => {
    requests++;
    request.resume().on('end', () => response.end('done'));
  });
  const order: string[] = [];
  server.on('connection', () => order.push('connection'));
  const transport = transportTo(t, url);
  const write: TransportRequest = {
    method: 'POST',
    path: '/',
    headers: {},
    body: '{}',
    beforeSend: () => order.push(`guard after ${requests} requests`),
  };
  assert.equal(await textOf(transport, write), 'done'); // on a new connection
  assert.equal(await textOf(transport, write), 'done'); // on the kept one
  assert.deepEqual(order, ['connection', 'guard after 0 requests', 'guard after 1 requests']);

  class NotLeader extends Error {}
  const guard = (): void => {
    throw new NotLeader();
  };
  await assert.rejects(transport.send({ ...write, beforeSend: guard }), NotLeader);
  assert.equal(requests, 2);
});

test('an aborted request and an aborted body reject with the signal’s reason', async (t) => {
  const { url } = await serve(t, SERVER, (request, response) => {
    if (request.url === '/body') response.write('part');
  });
  const transport = transportTo(t, url);
  const stop = new AbortController();
  const waiting = transport.send({ ...GET, path: '/silent' }, stop.signal);
  const { body } = await transport.send({ ...GET, path: '/body' }, stop.signal);
  const reading = (async () => {
    for await (const _ of body) stop.abort(new Error('enough'));
  })();
  await Promise.all([reading, waiting].map((promise) => assert.rejects(promise, { message: 'enough' })));
});

test('a body that breaks off is a ConnectionError', async (t) => {
  const { url } = await serve(t, SERVER, (_request, response) => {
    response.write('part', () => setImmediate(() => response.socket?.destroy()));
  });
  await assert.rejects(textOf(transportTo(t, url)), { name: 'ConnectionError', code: 'ECONNRESET' });
});

test('nobody listening is a ConnectionError with the system’s code', async (t) => {
  await assert.rejects(transportTo(t, 'https://127.0.0.1:1').send(GET), {
    name: 'ConnectionError',
    code: 'ECONNREFUSED',
  });
});

test('a closed transport refuses', async (t) => {
  const { url } = await serve(t, SERVER);
  const transport = transportTo(t, url);
  transport.close();
  await assert.rejects(transport.send(GET), { message: 'transport is closed' });
});

test('a proxy named for a plain server is refused, not passed over', (t) => {
  assert.throws(() => transportTo(t, 'http://127.0.0.1:1', { proxyUrl: 'http://p' }), {
    name: 'ConnectionConfigError',
  });
});

test('a proxy is asked for a tunnel, with its credentials, and its refusal is told', async (t) => {
  const { url } = await serve(t, SERVER);
  const asked: string[] = [];
  const proxy = createPlainServer().on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
    if (!request.headers['proxy-authorization']) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(url);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [socket, upstream]) end.on('error', () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  const transport = transportTo(t, url, { proxyUrl: `http://jane:s%20x@${address}` });
  assert.equal(await textOf(transport), 'hello');
  assert.equal(await textOf(transport), 'hello');
  assert.deepEqual(asked, [`${new URL(url).host} Basic ${Buffer.from('jane:s x').toString('base64')}`]);

  const refused = transportTo(t, url, { proxyUrl: `http://${address}` });
  await assert.rejects(refused.send(GET), {
    message: `proxy ${address} refused to connect to ${new URL(url).host}: 407`,
  });
});

test('a proxy is asked for an IPv6 server with its address in brackets', async (t) => {
  const asked: string[] = [];
  const proxy = createPlainServer().on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(`${request.url} ${request.headers.host}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => proxy.close());
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await assert.rejects(transportTo(t, 'https://[fd00::5]:6443', { proxyUrl }).send(GET), ConnectionError);
  await assert.rejects(transportTo(t, 'https://api:6443', { proxyUrl }).send(GET), ConnectionError);
  assert.deepEqual(asked, ['[fd00::5]:6443 [fd00::5]:6443', 'api:6443 api:6443']);
});

test('the guard waits for the handshake of a connection that is slow to shake hands', async (t) => {
  let greeted = false;
  const slow = createServer({
    ...SERVER,
    SNICallback: (_name, done) =>
      setTimeout(() => {
        greeted = true;
        done(null, createSecureContext(SERVER));
      }, 30),
  });
  slow.on('request', hello);
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    slow.close();
    slow.closeAllConnections();
  });
  const { port } = slow.address() as AddressInfo;
  const transport = transportTo(t, `https://127.0.0.1:${port}`, { tlsServerName: 'api.internal' });
  await textOf(transport, { method: 'DELETE', path: '/', headers: {}, beforeSend: () => assert.ok(greeted) });
  assert.ok(greeted);
});
