import assert from 'node:assert/strict';
import { PODS } from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { schedulerCase } from './scheduler-environment.ts';

/** Room on nodes: who gets it, and what is said when there is none. */
export const resourceCases: readonly ContractCase[] = [
  schedulerCase('a pod goes to the node that has room for it', async (env) => {
    await env.node('small', { allocatable: { cpu: '1' } });
    await env.node('large', { allocatable: { cpu: '8' } });
    await env.pod('pod', { requests: { cpu: '6' } });
    assert.equal(await env.nodeOf('pod'), 'large');
  }),
  schedulerCase(
    'a pod too large for every node waits, and the nodes that lack the resource are counted',
    async (env) => {
      await env.node('a');
      await env.node('b');
      await env.pod('pod', { requests: { cpu: '5' } });
      await env.unschedulableMessage('pod', /^0\/\d+ nodes are available: (.*, )?2 Insufficient cpu[,.]/);
    },
  ),
  schedulerCase('each resource a node lacks is told', async (env) => {
    await env.node('a');
    await env.pod('pod', { requests: { cpu: '5', memory: '9Gi', 'ephemeral-storage': '11Gi' } });
    const message = await env.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /1 Insufficient memory[,.]/);
    assert.match(message, /1 Insufficient ephemeral-storage[,.]/);
  }),
  schedulerCase('where pods could make room, it is said that no victims were found', async (env) => {
    await env.node('a');
    await env.pod('first', { requests: { cpu: '3' } });
    await env.nodeOf('first');
    await env.pod('second', { requests: { cpu: '3' } });
    const message = await env.unschedulableMessage('second', /1 Insufficient cpu[,.]/);
    assert.match(
      message,
      /\. no new claims to deallocate, preemption: 0\/\d+ nodes are available: 1 No preemption victims found for incoming pod(, \d+ Preemption is not helpful for scheduling)?\.$/,
    );
  }),
  schedulerCase('where no pod could make room, it is said that preemption does not help', async (env) => {
    await env.node('a');
    await env.pod('pod', { requests: { cpu: '5' } });
    const message = await env.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /0\/(\d+) nodes are available: \1 Preemption is not helpful for scheduling\.$/);
  }),
  schedulerCase('an extended resource is found where it is, until it is used up', async (env) => {
    await env.node('plain');
    await env.node('special', { allocatable: { 'example.com/device': '1' } });
    await env.pod('first', { requests: { 'example.com/device': '1' } });
    assert.equal(await env.nodeOf('first'), 'special');
    await env.pod('second', { requests: { 'example.com/device': '1' } });
    await env.unschedulableMessage('second', /2 Insufficient example\.com\/device[,.]/);
  }),
  schedulerCase('a node takes no more pods than it allows', async (env) => {
    await env.node('a', { allocatable: { pods: '2' } });
    await env.pod('first');
    await env.pod('second');
    assert.deepEqual(await env.podCounts('first', 'second'), { a: 2 });
    await env.pod('third');
    await env.unschedulableMessage('third', /1 Too many pods[,.]/);
  }),
  schedulerCase('a node that does not say how many pods it takes, takes none', async (env) => {
    await env.node('a', { allocatable: { pods: undefined } });
    await env.pod('pod');
    await env.unschedulableMessage('pod', /1 Too many pods[,.]/);
  }),
  schedulerCase('an init container counts if it needs more than all containers together', async (env) => {
    await env.node('a');
    const initContainers = [{ name: 'init', image: 'none', resources: { requests: { cpu: '5' } } }];
    await env.pod('pod', { requests: { cpu: '1' }, initContainers });
    await env.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
  }),
  schedulerCase('init containers run one by one: their requests are not added up', async (env) => {
    await env.node('a');
    const init = (name: string) => ({ name, image: 'none', resources: { requests: { cpu: '3' } } });
    await env.pod('pod', { requests: { cpu: '3' }, initContainers: [init('one'), init('two')] });
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('an init container that keeps running is added to the others', async (env) => {
    await env.node('a');
    const sidecar = { name: 'side', image: 'none', restartPolicy: 'Always', resources: { requests: { cpu: '2' } } };
    await env.pod('pod', { requests: { cpu: '3' }, initContainers: [sidecar] });
    await env.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
  }),
  schedulerCase('what the pod as a whole requests counts instead of its containers', async (env) => {
    await env.node('a');
    await env.pod('pod', { resources: { requests: { cpu: '5' } } });
    await env.unschedulableMessage('pod', /1 Insufficient cpu[,.]/);
  }),
  schedulerCase('a waiting pod takes the room a deleted one leaves', async (env) => {
    await env.node('a');
    await env.pod('first', { requests: { cpu: '4' } });
    await env.nodeOf('first');
    await env.pod('second', { requests: { cpu: '4' } });
    await env.unschedulableMessage('second', /Insufficient cpu/);
    await env.deletePod('first');
    assert.equal(await env.nodeOf('second'), 'a');
  }),
  schedulerCase('a waiting pod takes the room of one that has succeeded', async (env) => {
    await env.node('a');
    await env.pod('first', { requests: { cpu: '4' } });
    await env.nodeOf('first');
    await env.pod('second', { requests: { cpu: '4' } });
    await env.unschedulableMessage('second', /Insufficient cpu/);
    await env.untilRunning('first'); // or its kubelet might say so after it has succeeded
    await env.change(PODS, 'first', { status: { phase: 'Succeeded' } }, 'status');
    assert.equal(await env.nodeOf('second'), 'a');
  }),
  schedulerCase('a waiting pod goes to a node that comes', async (env) => {
    await env.node('a', { allocatable: { cpu: '1' } });
    await env.pod('pod', { requests: { cpu: '3' } });
    await env.unschedulableMessage('pod', /Insufficient cpu/);
    await env.node('b');
    assert.equal(await env.nodeOf('pod'), 'b');
  }),
  schedulerCase('a waiting pod goes to a node that grows', async (env) => {
    await env.node('a', { allocatable: { cpu: '1' } });
    await env.pod('pod', { requests: { cpu: '3' } });
    await env.unschedulableMessage('pod', /Insufficient cpu/);
    await env.changeNode('a', { status: { allocatable: { cpu: '4' }, capacity: { cpu: '4' } } }, 'status');
    assert.equal(await env.nodeOf('pod'), 'a');
  }),
  schedulerCase('of two nodes with room the emptier one is taken', async (env) => {
    await env.node('a');
    await env.pod('first', { requests: { cpu: '2' } });
    await env.nodeOf('first');
    await env.node('b');
    await env.pod('second', { requests: { cpu: '1' } });
    assert.equal(await env.nodeOf('second'), 'b');
  }),
  schedulerCase('pods that request nothing are spread over equal nodes all the same', async (env) => {
    await env.node('a');
    await env.node('b');
    const pods = ['p1', 'p2', 'p3', 'p4'];
    for (const pod of pods) await env.pod(pod);
    assert.deepEqual(await env.podCounts(...pods), { a: 2, b: 2 });
  }),
];
