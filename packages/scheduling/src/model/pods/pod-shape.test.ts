import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@karpenter-ts/kubernetes';
import { makePod } from '../../testing/builders.ts';
import { TestEnvironment } from '../../testing/test-environment.ts';

const MUCH = { cpu: '100' };
const resized = (pod: Pod, cpu: string): Pod => ({
  ...pod,
  status: { containerStatuses: [{ name: 'main', resources: { requests: { cpu } } }] },
});

/** Each is like `plain` but in one thing, for which no instance type is large enough. */
const LARGE: readonly Pod[] = [
  makePod('requests', { requests: MUCH }),
  makePod('init', { initContainers: [{ name: 'init', resources: { requests: MUCH } }] }),
  makePod('overhead', { overhead: MUCH }),
  makePod('pod-level', { resources: { requests: MUCH } }),
  resized(makePod('resized'), '100'),
];

test('pods that differ in whatever asks for resources are told apart', () => {
  for (const large of LARGE) {
    const plan = new TestEnvironment().plan(makePod('plain'), large, resized(makePod('other'), '1'));
    assert.deepEqual(
      plan.unschedulable.map(({ pod }) => pod.metadata.name),
      [large.metadata.name],
    );
  }
});

test('a resize that is not feasible is told apart from one that is', () => {
  const grown = (name: string, reason: string): Pod => ({
    ...makePod(name, { requests: MUCH }),
    status: {
      containerStatuses: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
      conditions: [{ type: 'PodResizePending', status: 'True', reason }],
    },
  });
  const plan = new TestEnvironment().plan(grown('feasible', 'Deferred'), grown('infeasible', 'Infeasible'));
  assert.deepEqual(
    plan.unschedulable.map(({ pod }) => pod.metadata.name),
    ['feasible'],
  );
});

test('pods that differ in the devices or ports they claim are told apart', () => {
  const devices = makePod('devices', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] });
  const environment = new TestEnvironment({ options: { ignoreDraRequests: true } });
  assert.deepEqual(
    environment.plan(makePod('plain'), devices).unschedulable.map(({ pod }) => pod.metadata.name),
    ['devices'],
  );
  const inContainer = (name: string): Pod =>
    makePod(name, { containers: [{ name: 'main', resources: { claims: [{ name: 'gpu' }] } }] });
  const inInit = (name: string): Pod =>
    makePod(name, { initContainers: [{ name: 'init', resources: { claims: [{ name: 'gpu' }] } }] });
  assert.equal(environment.plan(makePod('plain'), inContainer('a'), inInit('b')).unschedulable.length, 2);
  const claiming = new TestEnvironment({ options: { ignoreDraRequests: false } });
  assert.equal(claiming.plan(devices).unschedulable.length, 0);
  const listening = (name: string) => makePod(name, { containers: [{ name: 'main', ports: [{ hostPort: 80 }] }] });
  const plain = makePod('plain', { containers: [{ name: 'main' }] });
  assert.equal(new TestEnvironment().plan(plain, listening('a'), listening('b')).newNodes.length, 2);
});
