import assert from 'node:assert/strict';
import type { ContractCase } from '../contract-case.ts';
import { inArena, type PodOptions } from './arena.ts';

/** Ports of nodes. */
export const hostPortCases: readonly ContractCase[] = [
  inArena('a host port is used once on a node', async (arena) => {
    await arena.node('a');
    await arena.node('b');
    await arena.pod('first', port({ hostPort: 8080 }));
    await arena.pod('second', port({ hostPort: 8080 }));
    assert.deepEqual(await arena.placesOf('first', 'second'), { a: 1, b: 1 });
    await arena.pod('third', port({ hostPort: 8080 }));
    await arena.complaintOf('third', /2 node\(s\) didn't have free ports for the requested pod ports[,.]/);
  }),
  inArena('a waiting pod gets the host port of one that leaves', async (arena) => {
    await arena.node('a');
    await arena.pod('first', port({ hostPort: 8080 }));
    await arena.placeOf('first');
    await arena.pod('second', port({ hostPort: 8080 }));
    await arena.complaintOf('second', /free ports/);
    await arena.deletePod('first');
    assert.equal(await arena.placeOf('second'), 'a');
  }),
  inArena('ports of two protocols do not meet', async (arena) => {
    await arena.node('a');
    await arena.pod('tcp', port({ hostPort: 53, protocol: 'TCP' }));
    await arena.pod('udp', port({ hostPort: 53, protocol: 'UDP' }));
    assert.deepEqual(await arena.placesOf('tcp', 'udp'), { a: 2 });
  }),
  inArena('ports of two addresses do not meet, but all addresses meet each', async (arena) => {
    await arena.node('a');
    await arena.pod('one', port({ hostPort: 80, hostIP: '127.0.0.1' }));
    await arena.pod('two', port({ hostPort: 80, hostIP: '127.0.0.2' }));
    assert.deepEqual(await arena.placesOf('one', 'two'), { a: 2 });
    await arena.pod('all', port({ hostPort: 80 }));
    await arena.complaintOf('all', /1 node\(s\) didn't have free ports/);
  }),
];

function port(options: {
  readonly hostPort: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}): PodOptions {
  return { ports: [{ containerPort: options.hostPort, ...options }] };
}
