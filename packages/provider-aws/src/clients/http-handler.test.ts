import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { HttpHandler } from './http-handler.ts';

test('a connection that does not come about is given up after half a minute, and the request may be tried again', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  const sockets = new Set<{ destroy(): void }>();
  silent.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  await once(silent, 'listening');
  const clock = new VirtualClock();
  const handler = new HttpHandler({ clock, env: {} });
  t.after(() => {
    handler.destroy();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const request = { protocol: 'https:', hostname: '127.0.0.1', port, method: 'GET', path: '/', headers: {} };
  const answer = handler.handle(request);
  const rejected = assert.rejects(answer, {
    name: 'TimeoutError', // which the SDK tries again after
    message: 'no connection to 127.0.0.1 within 30s',
  });
  await once(silent, 'connection');
  await clock.advance(30 * SECOND);
  await rejected;
});
