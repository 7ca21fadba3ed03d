import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { findFreePorts } from './ports.ts';

test('the ports are different, free, and none that an outgoing connection could take', async () => {
  const ports = await findFreePorts(20);
  assert.equal(new Set(ports).size, 20);
  for (const port of ports) {
    assert.ok(port >= 20_000 && port < 30_000);
    const server = createServer();
    await once(server.listen(port, '127.0.0.1'), 'listening');
    await once(server.close(), 'close');
  }
});
