import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { LabError } from './lab-error.ts';

// Below the ranges from which Linux (32768+) and macOS (49152+) take the ports of outgoing connections: a client that
// happens to dial out cannot take a port between our look and the listener's start.
const FIRST = 20_000;
const LAST = 29_999;
const ATTEMPTS = 1_000;

/** As many different loopback ports as asked for, chosen at random so that labs starting at once rarely meet. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  for (let attempt = 0; ports.length < count && attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST, LAST + 1);
    const server = await tryListen(port);
    if (server === undefined) continue;
    held.push(server); // until all are found, so that none is found twice
    ports.push(port);
  }
  await Promise.all(held.map((server) => once(server.close(), 'close')));
  if (ports.length < count) throw new LabError(`no ${count} free ports on 127.0.0.1 between ${FIRST} and ${LAST}`);
  return ports;
}

async function tryListen(port: number): Promise<Server | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}
