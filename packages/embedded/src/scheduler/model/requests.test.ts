import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec } from '@karpenter-ts/kubernetes';
import { requestsOf } from './requests.ts';
import { ResourceNames } from './resource-names.ts';

function asked(spec: PodSpec): Readonly<Record<string, number>> {
  const names = new ResourceNames();
  const { ids, amounts } = requestsOf(spec, names);
  return Object.fromEntries(ids.map((id, i) => [names.nameOf(id), amounts[i]!]));
}

const container = (requests: Readonly<Record<string, string>>, restartPolicy?: string) => ({
  resources: { requests },
  ...(restartPolicy && { restartPolicy }),
});

test('containers are added up, in thousandths of a core, bytes and pieces', () => {
  const containers = [container({ cpu: '250m', memory: '1Gi' }), container({ cpu: '1', 'example.com/device': '2' })];
  assert.deepEqual(asked({ containers }), { cpu: 1250, memory: 1024 ** 3, 'example.com/device': 2 });
});

test('a fraction of a unit counts as one', () => {
  assert.deepEqual(asked({ containers: [container({ cpu: '100u', memory: '1500m' })] }), { cpu: 1, memory: 2 });
});

test('init containers count by the largest, and only where it is more than the others together', () => {
  const initContainers = [container({ cpu: '3', memory: '1' }), container({ cpu: '2', memory: '5' })];
  assert.deepEqual(asked({ containers: [container({ cpu: '1', memory: '9' })], initContainers }), {
    cpu: 3000,
    memory: 9,
  });
});

test('init containers that keep running are added to what comes after them', () => {
  const initContainers = [
    container({ cpu: '1' }, 'Always'),
    container({ cpu: '5' }),
    container({ cpu: '1' }, 'Always'),
  ];
  assert.deepEqual(asked({ containers: [container({ cpu: '2' })], initContainers }), { cpu: 6000 });
});

test('what the pod requests as a whole takes the place of its containers, for CPU, memory and huge pages', () => {
  const resources = { requests: { cpu: '7', 'hugepages-2Mi': '4Mi' } };
  const containers = [container({ cpu: '1', memory: '5', 'example.com/device': '1' })];
  assert.deepEqual(asked({ containers, resources }), {
    cpu: 7000,
    memory: 5,
    'hugepages-2Mi': 4 * 1024 ** 2,
    'example.com/device': 1,
  });
});

test('overhead comes on top', () => {
  assert.deepEqual(asked({ containers: [container({ cpu: '1' })], overhead: { cpu: '100m' } }), { cpu: 1100 });
});

test('nothing is asked where 0 is asked', () => {
  assert.deepEqual(asked({ containers: [container({ cpu: '0', 'example.com/device': '0' })] }), {});
});

test('silent containers weigh a little when nodes are compared', () => {
  const { scoredCpu, scoredMemory } = requestsOf(
    { containers: [container({ cpu: '1' }), container({})] },
    new ResourceNames(),
  );
  assert.equal(scoredCpu, 1100);
  assert.equal(scoredMemory, 2 * 200 * 1024 ** 2);
});
