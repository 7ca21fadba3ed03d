import assert from 'node:assert/strict';
import type { ContractCase } from '../contract-case.ts';
import { schedulerCase, type PodOptions } from './scheduler-fixture.ts';

/** Ports of nodes. */
export const hostPortCases: readonly ContractCase[] = [
  schedulerCase('a host port is used once on a node', async (fixture) => {
    await fixture.node('a');
    await fixture.node('b');
    await fixture.pod('first', port({ hostPort: 8080 }));
    await fixture.pod('second', port({ hostPort: 8080 }));
    assert.deepEqual(await fixture.podCounts('first', 'second'), { a: 1, b: 1 });
    await fixture.pod('third', port({ hostPort: 8080 }));
    await fixture.unschedulableMessage('third', /2 node\(s\) didn't have free ports for the requested pod ports[,.]/);
  }),
  schedulerCase('a waiting pod gets the host port of one that leaves', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('first', port({ hostPort: 8080 }));
    await fixture.nodeOf('first');
    await fixture.pod('second', port({ hostPort: 8080 }));
    await fixture.unschedulableMessage('second', /free ports/);
    await fixture.deletePod('first');
    assert.equal(await fixture.nodeOf('second'), 'a');
  }),
  schedulerCase('ports of two protocols do not meet', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('tcp', port({ hostPort: 53, protocol: 'TCP' }));
    await fixture.pod('udp', port({ hostPort: 53, protocol: 'UDP' }));
    assert.deepEqual(await fixture.podCounts('tcp', 'udp'), { a: 2 });
  }),
  schedulerCase('ports of two addresses do not meet, but all addresses meet each', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('one', port({ hostPort: 80, hostIP: '127.0.0.1' }));
    await fixture.pod('two', port({ hostPort: 80, hostIP: '127.0.0.2' }));
    assert.deepEqual(await fixture.podCounts('one', 'two'), { a: 2 });
    await fixture.pod('all', port({ hostPort: 80 }));
    await fixture.unschedulableMessage('all', /1 node\(s\) didn't have free ports/);
  }),
];

function port(options: {
  readonly hostPort: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}): PodOptions {
  return { ports: [{ containerPort: options.hostPort, ...options }] };
}
