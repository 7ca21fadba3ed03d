import assert from 'node:assert/strict';
import type { ContractCase } from '../contract-case.ts';
import { schedulerCase, type PodOptions } from './scheduler-environment.ts';

/** Ports of nodes. */
export const hostPortCases: readonly ContractCase[] = [
  schedulerCase('a host port is used once on a node', async (env) => {
    await env.node('a');
    await env.node('b');
    await env.pod('first', port({ hostPort: 8080 }));
    await env.pod('second', port({ hostPort: 8080 }));
    assert.deepEqual(await env.podCounts('first', 'second'), { a: 1, b: 1 });
    await env.pod('third', port({ hostPort: 8080 }));
    await env.unschedulableMessage('third', /2 node\(s\) didn't have free ports for the requested pod ports[,.]/);
  }),
  schedulerCase('a waiting pod gets the host port of one that leaves', async (env) => {
    await env.node('a');
    await env.pod('first', port({ hostPort: 8080 }));
    await env.nodeOf('first');
    await env.pod('second', port({ hostPort: 8080 }));
    await env.unschedulableMessage('second', /free ports/);
    await env.deletePod('first');
    assert.equal(await env.nodeOf('second'), 'a');
  }),
  schedulerCase('ports of two protocols do not meet', async (env) => {
    await env.node('a');
    await env.pod('tcp', port({ hostPort: 53, protocol: 'TCP' }));
    await env.pod('udp', port({ hostPort: 53, protocol: 'UDP' }));
    assert.deepEqual(await env.podCounts('tcp', 'udp'), { a: 2 });
  }),
  schedulerCase('ports of two addresses do not meet, but all addresses meet each', async (env) => {
    await env.node('a');
    await env.pod('one', port({ hostPort: 80, hostIP: '127.0.0.1' }));
    await env.pod('two', port({ hostPort: 80, hostIP: '127.0.0.2' }));
    assert.deepEqual(await env.podCounts('one', 'two'), { a: 2 });
    await env.pod('all', port({ hostPort: 80 }));
    await env.unschedulableMessage('all', /1 node\(s\) didn't have free ports/);
  }),
];

function port(options: {
  readonly hostPort: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}): PodOptions {
  return { ports: [{ containerPort: options.hostPort, ...options }] };
}
