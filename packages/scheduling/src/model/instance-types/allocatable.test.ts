import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceList } from '@karpenter-ts/kubernetes';
import { makeOffering } from '../../testing/builders.ts';
import { fakeType } from '../../testing/fake-types.ts';
import { allocatableResources, canHold } from './allocatable.ts';

const type = fakeType('type', { resources: { 'hugepages-2Mi': '1Gi' } });
const plain = makeOffering('test-zone-1', 'on-demand', 1);
const fast = makeOffering('test-zone-1', 'spot', 1, {
  capacityOverride: { 'fake.com/fast': '2' },
  overheadOverride: { evictionThreshold: { memory: '100Mi' } },
});

test('what a node has for pods is its capacity less overhead and huge pages, as the offering delivers it', () => {
  const common = { cpu: '3900m', pods: '5', 'hugepages-2Mi': '1Gi' };
  assert.deepEqual(allocatableResources(type), { ...common, memory: '3062Mi' });
  assert.deepEqual(allocatableResources(type, plain), { ...common, memory: '3062Mi' });
  assert.deepEqual(allocatableResources(type, fast), { ...common, memory: '2962Mi', 'fake.com/fast': '2' });
});

test('a node holds up to what it has, and nothing of what it has not', () => {
  const holds = (requests: ResourceList, offering = plain) => canHold(type, offering, requests);
  assert.deepEqual([holds({ cpu: '3900m' }), holds({ cpu: '3901m' })], [true, false]);
  assert.deepEqual([holds({ cpu: '1', memory: '3062Mi' }), holds({ cpu: '1', memory: '3063Mi' })], [true, false]);
  assert.deepEqual([holds({ 'fake.com/fast': 0 }), holds({ 'fake.com/fast': 1 })], [true, false]);
  assert.deepEqual([holds({ 'fake.com/fast': 2 }, fast), holds({ 'fake.com/fast': 3 }, fast)], [true, false]);
});

test('a type of which the system takes more than there is holds nothing', () => {
  const small = { ...type, overhead: { kubeReserved: { cpu: '8' } } };
  assert.equal(canHold(small, plain, { memory: '1Gi' }), false);
});
