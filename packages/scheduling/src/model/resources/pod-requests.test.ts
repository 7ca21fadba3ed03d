import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AmountReader,
  type Amounts,
  type Container,
  formatQuantity,
  type Pod,
  type PodSpec,
  type ResourceList,
} from '@karpenter-ts/kubernetes';
import { allocatableOf, variantsOf } from '../instance-types/allocatable.ts';
import type { InstanceType } from '../../snapshot.ts';
import { makeOffering, makePod } from '../../testing/builders.ts';
import { fakeType } from '../../testing/fake-types.ts';
import { failureOf, TestEnvironment } from '../../testing/test-environment.ts';
import { podLimits, podRequests } from './pod-requests.ts';

const asks = (requests: ResourceList): Container => ({ name: 'c', resources: { requests } });
const sidecar = (requests: ResourceList): Container => ({ ...asks(requests), restartPolicy: 'Always' });
const printed = (amounts: Amounts) =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]));
const requestsOf = (spec: PodSpec, status?: Pod['status']) =>
  printed(podRequests({ metadata: { name: 'a' }, spec, status }, new AmountReader()));

test('02/57 init containers run beside the sidecars declared before them, containers beside all', () => {
  const later = { initContainers: [sidecar({ cpu: 4 }), asks({ cpu: 10 })], containers: [asks({ cpu: 2 })] };
  assert.equal(requestsOf(later)['cpu'], '14');
  const earlier = {
    initContainers: [asks({ cpu: 4 }), sidecar({ cpu: 3 })],
    containers: [asks({ cpu: 2 })],
    overhead: { cpu: 5 },
  };
  assert.equal(requestsOf(earlier)['cpu'], '10');
});

test('02/58 pod-level requests replace the sum; overhead comes on top of it', () => {
  const containers = [asks({ cpu: 1 })];
  const initContainers = [sidecar({ cpu: 1 })];
  assert.equal(requestsOf({ containers, initContainers, resources: { requests: { cpu: 2 } } })['cpu'], '2');
  const types = [2, 4].map((cpus) => fakeType(`cpu-${cpus}`, { resources: { cpu: String(cpus) } }));
  const pod = makePod('a', { requests: { cpu: '1' }, overhead: { cpu: '2' } });
  assert.deepEqual(new TestEnvironment({ types }).plan(pod).newNodes[0]!.instanceTypes, ['cpu-4']);
});

test('pod-level requests speak for cpu, memory and huge pages; of anything else the containers ask', () => {
  const podLevel = { cpu: 2, memory: '1Gi', 'hugepages-2Mi': '4Mi', 'fake.com/vendor-a': 3 };
  const spec = { containers: [asks({ 'fake.com/vendor-a': 1 })], resources: { requests: podLevel } };
  assert.deepEqual(requestsOf(spec), { ...podLevel, cpu: '2', 'fake.com/vendor-a': '1', pods: '1' });
});

test('limits are reckoned as requests are; what is not limited has no overhead either', () => {
  const capped = (limits: ResourceList): Container => ({ name: 'c', resources: { limits } });
  const limitsOf = (spec: PodSpec) => printed(podLimits({ metadata: { name: 'a' }, spec }, new AmountReader()));
  const spec = {
    containers: [capped({ cpu: 1 }), asks({ memory: '1Gi' })],
    initContainers: [{ ...capped({ cpu: 2 }), restartPolicy: 'Always' }, capped({ cpu: 3 })],
    overhead: { cpu: 1, memory: '1Gi' },
  };
  assert.deepEqual(limitsOf(spec), { cpu: '6', pods: '1' });
  assert.deepEqual(limitsOf({ ...spec, resources: { limits: { cpu: 4 } } }), { cpu: '5', pods: '1' });
  assert.deepEqual(limitsOf({ containers: [asks({ cpu: 1 })] }), { pods: '1' });
});

test('02/59 during a resize the larger of what is asked for and what is held counts', () => {
  const status = (allocated: number) => ({
    containerStatuses: [{ name: 'c', resources: { requests: { cpu: 1 } }, allocatedResources: { cpu: allocated } }],
  });
  assert.equal(requestsOf({ containers: [asks({ cpu: 2 })] }, status(6))['cpu'], '6');
  assert.equal(requestsOf({ containers: [asks({ cpu: 8 })] }, status(2))['cpu'], '8');
  const sideStatus = { initContainerStatuses: [{ name: 'side', resources: { requests: { cpu: 3 } } }] };
  const beside = (one: Container) => ({ containers: [asks({ cpu: 1 })], initContainers: [{ ...one, name: 'side' }] });
  assert.equal(requestsOf(beside(sidecar({ cpu: 1 })), sideStatus)['cpu'], '4');
  assert.equal(requestsOf(beside(asks({ cpu: 2 })), sideStatus)['cpu'], '2');
  const infeasible = { ...status(2), conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }] };
  assert.equal(requestsOf({ containers: [asks({ cpu: 8 })] }, infeasible)['cpu'], '2');
});

test('02/157 sidecars, init containers and pod-level requests in every order', () => {
  const large = { cpu: 10, memory: '4Gi' };
  const side = { cpu: '4.9', memory: '2.9Gi' };
  const expected = { cpu: '10900m', memory: '5261334937600m', pods: '1' };
  const cases: readonly PodSpec[] = [
    { initContainers: [asks(large), sidecar(side)], containers: [asks({ cpu: 6, memory: '2Gi' })] },
    {
      initContainers: [sidecar(side), asks({ cpu: 5, memory: '1Gi' })],
      containers: [asks({ cpu: 6, memory: '2Gi' })],
    },
    {
      initContainers: [sidecar(side), asks({ cpu: 6, memory: '2Gi' })],
      containers: [asks({ cpu: 5, memory: '1Gi' })],
    },
  ];
  for (const spec of cases) assert.deepEqual(requestsOf(spec), expected);
  const podLevel = {
    containers: [asks({ cpu: 4, memory: '1Gi' }), asks({ cpu: 5, memory: '2Gi' })],
    resources: { requests: { cpu: '9.9', memory: '3.9Gi' } },
  };
  assert.equal(requestsOf(podLevel)['cpu'], '9900m');
});

test('02/158 the larger of init container and containers decides the type', () => {
  const pod = (memory: string): Pod => ({
    metadata: { name: 'a' },
    spec: { containers: [asks({ cpu: 1 })], initContainers: [asks({ cpu: 3, memory })] },
  });
  const [node] = new TestEnvironment().plan(pod('1Gi')).newNodes;
  assert.equal(node!.instanceTypes.includes('small-instance-type'), false);
  assert.match(
    failureOf(new TestEnvironment().plan(pod('1Ti')), pod('1Ti'))!,
    /^no instance type has enough resources/,
  );
  const daemon = new TestEnvironment({ daemonPods: [pod('1Ti')] });
  assert.equal(daemon.plan(makePod('b')).newNodes.length, 0);
});

test('02/60 huge pages are set aside from memory, and never more than there is', () => {
  const type = (hugepages: ResourceList): InstanceType => ({
    ...fakeType('huge', { resources: { memory: '20Gi', ...hugepages } }),
    overhead: { kubeReserved: { memory: '1Gi' } },
  });
  const memory = (hugepages: ResourceList) =>
    printed(allocatableOf(type(hugepages), undefined, new AmountReader()))['memory'];
  assert.equal(memory({ 'hugepages-1Gi': '5Gi', 'hugepages-2Mi': '10Gi' }), '4Gi');
  assert.equal(memory({ 'hugepages-1Gi': '20Gi' }), '0');
});

test('02/127 offerings that add a resource make their type eligible for it, while they can be had', () => {
  const more = { capacityOverride: { 'fake.com/fast': '1' } };
  const type = (available: boolean) =>
    fakeType('special', {
      offerings: [
        makeOffering('test-zone-1', 'on-demand', 1),
        makeOffering('test-zone-2', 'spot', 1, { ...more, available }),
      ],
    });
  const pod = makePod('a', { requests: { 'fake.com/fast': '1' } });
  const plan = (available: boolean) => new TestEnvironment({ types: [fakeType('plain'), type(available)] }).plan(pod);
  assert.deepEqual(plan(true).newNodes[0]!.instanceTypes, ['special']);
  assert.equal(plan(false).newNodes.length, 0);
});

test('02/127 overrides are added to what the type has, and equal ones are one group', () => {
  const override = { overheadOverride: { systemReserved: { memory: '3Gi' } } };
  const type: InstanceType = {
    ...fakeType('overridden', {
      resources: { memory: '16Gi' },
      offerings: [
        makeOffering('test-zone-1', 'on-demand', 1),
        makeOffering('test-zone-2', 'on-demand', 1),
        makeOffering('test-zone-1', 'spot', 1, override),
        makeOffering('test-zone-2', 'spot', 1, override),
      ],
    }),
    overhead: { kubeReserved: { memory: '1Gi' } },
  };
  const groups = variantsOf(type, new AmountReader());
  assert.deepEqual(
    groups.map(({ allocatable, offerings }) => [printed(allocatable)['memory'], offerings.length]),
    [
      ['15Gi', 2],
      ['12Gi', 2],
    ],
  );
});

test('amounts beyond 2^53 and down to billionths are exact', () => {
  const sum = requestsOf({
    containers: [asks({ memory: '10000000Gi', cpu: '1n' }), asks({ memory: '1', cpu: '2n' })],
  });
  assert.deepEqual(sum, { memory: '10737418240000001', cpu: '3n', pods: '1' });
  const types = [fakeType('exact', { resources: { cpu: '1', memory: '1Gi' } })];
  const fits = (memory: string) =>
    new TestEnvironment({ types }).plan(makePod('a', { requests: { memory } })).newNodes.length === 1;
  assert.ok(fits('1063256064')); // 1Gi less 10Mi
  assert.equal(fits('1063256064001m'), false);
});
