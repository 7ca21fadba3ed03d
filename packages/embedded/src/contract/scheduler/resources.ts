import assert from 'node:assert/strict';
import { PODS } from '../../scheduler/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { inArena } from './arena.ts';

/** Room on nodes: who gets it, and what is said when there is none. */
export const resourceCases: readonly ContractCase[] = [
  inArena('a pod goes to the node that has room for it', async (arena) => {
    await arena.node('small', { allocatable: { cpu: '1' } });
    await arena.node('large', { allocatable: { cpu: '8' } });
    await arena.pod('pod', { requests: { cpu: '6' } });
    assert.equal(await arena.placeOf('pod'), 'large');
  }),
  inArena('a pod too large for every node waits, and the nodes that lack the resource are counted', async (arena) => {
    await arena.node('a');
    await arena.node('b');
    await arena.pod('pod', { requests: { cpu: '5' } });
    await arena.complaintOf('pod', /^0\/\d+ nodes are available: (.*, )?2 Insufficient cpu[,.]/);
  }),
  inArena('each resource a node lacks is told', async (arena) => {
    await arena.node('a');
    await arena.pod('pod', { requests: { cpu: '5', memory: '9Gi', 'ephemeral-storage': '11Gi' } });
    const message = await arena.complaintOf('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /1 Insufficient memory[,.]/);
    assert.match(message, /1 Insufficient ephemeral-storage[,.]/);
  }),
  inArena('where pods could make room, it is said that no victims were found', async (arena) => {
    await arena.node('a');
    await arena.pod('first', { requests: { cpu: '3' } });
    await arena.placeOf('first');
    await arena.pod('second', { requests: { cpu: '3' } });
    const message = await arena.complaintOf('second', /1 Insufficient cpu[,.]/);
    assert.match(
      message,
      /\. no new claims to deallocate, preemption: 0\/\d+ nodes are available: 1 No preemption victims found for incoming pod(, \d+ Preemption is not helpful for scheduling)?\.$/,
    );
  }),
  inArena('where no pod could make room, it is said that preemption does not help', async (arena) => {
    await arena.node('a');
    await arena.pod('pod', { requests: { cpu: '5' } });
    const message = await arena.complaintOf('pod', /1 Insufficient cpu[,.]/);
    assert.match(message, /0\/(\d+) nodes are available: \1 Preemption is not helpful for scheduling\.$/);
  }),
  inArena('an extended resource is found where it is, until it is used up', async (arena) => {
    await arena.node('plain');
    await arena.node('special', { allocatable: { 'example.com/device': '1' } });
    await arena.pod('first', { requests: { 'example.com/device': '1' } });
    assert.equal(await arena.placeOf('first'), 'special');
    await arena.pod('second', { requests: { 'example.com/device': '1' } });
    await arena.complaintOf('second', /2 Insufficient example\.com\/device[,.]/);
  }),
  inArena('a node takes no more pods than it allows', async (arena) => {
    await arena.node('a', { allocatable: { pods: '2' } });
    await arena.pod('first');
    await arena.pod('second');
    assert.deepEqual(await arena.placesOf('first', 'second'), { a: 2 });
    await arena.pod('third');
    await arena.complaintOf('third', /1 Too many pods[,.]/);
  }),
  inArena('a node that does not say how many pods it takes, takes none', async (arena) => {
    await arena.node('a', { allocatable: { pods: undefined } });
    await arena.pod('pod');
    await arena.complaintOf('pod', /1 Too many pods[,.]/);
  }),
  inArena('an init container counts if it needs more than all containers together', async (arena) => {
    await arena.node('a');
    const initContainers = [{ name: 'init', image: 'none', resources: { requests: { cpu: '5' } } }];
    await arena.pod('pod', { requests: { cpu: '1' }, initContainers });
    await arena.complaintOf('pod', /1 Insufficient cpu[,.]/);
  }),
  inArena('init containers run one by one: their requests are not added up', async (arena) => {
    await arena.node('a');
    const init = (name: string) => ({ name, image: 'none', resources: { requests: { cpu: '3' } } });
    await arena.pod('pod', { requests: { cpu: '3' }, initContainers: [init('one'), init('two')] });
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('an init container that keeps running is added to the others', async (arena) => {
    await arena.node('a');
    const sidecar = { name: 'side', image: 'none', restartPolicy: 'Always', resources: { requests: { cpu: '2' } } };
    await arena.pod('pod', { requests: { cpu: '3' }, initContainers: [sidecar] });
    await arena.complaintOf('pod', /1 Insufficient cpu[,.]/);
  }),
  inArena('what the pod as a whole requests counts instead of its containers', async (arena) => {
    await arena.node('a');
    await arena.pod('pod', { resources: { requests: { cpu: '5' } } });
    await arena.complaintOf('pod', /1 Insufficient cpu[,.]/);
  }),
  inArena('a waiting pod takes the room a deleted one leaves', async (arena) => {
    await arena.node('a');
    await arena.pod('first', { requests: { cpu: '4' } });
    await arena.placeOf('first');
    await arena.pod('second', { requests: { cpu: '4' } });
    await arena.complaintOf('second', /Insufficient cpu/);
    await arena.deletePod('first');
    assert.equal(await arena.placeOf('second'), 'a');
  }),
  inArena('a waiting pod takes the room of one that has succeeded', async (arena) => {
    await arena.node('a');
    await arena.pod('first', { requests: { cpu: '4' } });
    await arena.placeOf('first');
    await arena.pod('second', { requests: { cpu: '4' } });
    await arena.complaintOf('second', /Insufficient cpu/);
    await arena.untilRunning('first'); // or its kubelet might say so after it has succeeded
    await arena.change(PODS, 'first', { status: { phase: 'Succeeded' } }, 'status');
    assert.equal(await arena.placeOf('second'), 'a');
  }),
  inArena('a waiting pod goes to a node that comes', async (arena) => {
    await arena.node('a', { allocatable: { cpu: '1' } });
    await arena.pod('pod', { requests: { cpu: '3' } });
    await arena.complaintOf('pod', /Insufficient cpu/);
    await arena.node('b');
    assert.equal(await arena.placeOf('pod'), 'b');
  }),
  inArena('a waiting pod goes to a node that grows', async (arena) => {
    await arena.node('a', { allocatable: { cpu: '1' } });
    await arena.pod('pod', { requests: { cpu: '3' } });
    await arena.complaintOf('pod', /Insufficient cpu/);
    await arena.changeNode('a', { status: { allocatable: { cpu: '4' }, capacity: { cpu: '4' } } }, 'status');
    assert.equal(await arena.placeOf('pod'), 'a');
  }),
  inArena('of two nodes with room the emptier one is taken', async (arena) => {
    await arena.node('a');
    await arena.pod('first', { requests: { cpu: '2' } });
    await arena.placeOf('first');
    await arena.node('b');
    await arena.pod('second', { requests: { cpu: '1' } });
    assert.equal(await arena.placeOf('second'), 'b');
  }),
  inArena('pods that request nothing are spread over equal nodes all the same', async (arena) => {
    await arena.node('a');
    await arena.node('b');
    const pods = ['p1', 'p2', 'p3', 'p4'];
    for (const pod of pods) await arena.pod(pod);
    assert.deepEqual(await arena.placesOf(...pods), { a: 2, b: 2 });
  }),
];
