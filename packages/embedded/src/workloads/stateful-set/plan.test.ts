import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ControllerRevision, Pod, StatefulSet } from '@karpenter-ts/kubernetes';
import { buildPod, buildTemplate, NOON, type PodOptions, readyPod } from '../testing/builders.ts';
import { planSteps } from './plan.ts';

function revision(name: string): ControllerRevision {
  return {
    metadata: { name },
    revision: 1,
    data: { spec: { template: { ...buildTemplate(name), $patch: 'replace' } } },
  };
}

const OLD = revision('old');
const NEW = revision('new');

function buildStatefulSet(replicas: number, spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'set' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: buildTemplate('new'),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
  };
}

/** Pods web-0, web-1 …: up and of the new template unless told otherwise. */
function pods(...options: readonly (PodOptions & { readonly of?: 'old' | 'new' })[]): readonly Pod[] {
  return options.map(({ of = 'new', metadata, ...rest }, i) =>
    (rest.phase === undefined ? readyPod : buildPod)(`web-${i}`, {
      ...rest,
      metadata: { labels: { 'controller-revision-hash': of }, ...metadata },
    }),
  );
}

/** What is to be done, without the upkeep of pods that stay. */
function plan(set: StatefulSet, present: readonly Pod[]): readonly string[] {
  const steps = planSteps(set, present, { current: OLD, update: NEW }, NOON);
  return steps.flatMap((step) => {
    if (step.do === 'mend') return [];
    return [
      step.do === 'create'
        ? `create ${step.ordinal} ${step.revision.metadata.name}`
        : `${step.why} ${step.pod.metadata.name}`,
    ];
  });
}

const UP = {};
const PENDING = { phase: 'Pending' };
const TERMINATING = { isTerminating: true };

test('in order, the next pod comes when all before it are up', () => {
  assert.deepEqual(plan(buildStatefulSet(3), []), ['create 0 new']);
  assert.deepEqual(plan(buildStatefulSet(3), pods(PENDING)), []);
  assert.deepEqual(plan(buildStatefulSet(3), pods(UP)), ['create 1 new']);
  assert.deepEqual(plan(buildStatefulSet(3), pods(UP, TERMINATING)), []);
  assert.deepEqual(plan(buildStatefulSet(3), pods(UP, UP, UP)), []);
});

test('in parallel, all missing pods come at once', () => {
  const set = buildStatefulSet(3, { podManagementPolicy: 'Parallel' });
  assert.deepEqual(plan(set, pods(PENDING)), ['create 1 new', 'create 2 new']);
});

test('a pod must have been ready for long enough before the next comes', () => {
  const set = buildStatefulSet(2, { minReadySeconds: 10 });
  assert.deepEqual(plan(set, pods({ readySince: NOON - 9_000 })), []);
  assert.deepEqual(plan(set, pods({ readySince: NOON - 10_000 })), ['create 1 new']);
});

test('a pod that has ended is removed, and comes back only when it is gone', () => {
  assert.deepEqual(plan(buildStatefulSet(2), pods({ phase: 'Failed' }, UP)), ['ended web-0']);
  assert.deepEqual(plan(buildStatefulSet(2), pods({ phase: 'Succeeded', isTerminating: true }, UP)), []);
});

test('in order, surplus pods go one at a time from the highest', () => {
  const set = buildStatefulSet(1);
  assert.deepEqual(plan(set, pods(UP, UP, UP)), ['surplus web-2']);
  assert.deepEqual(plan(set, pods(UP, UP, TERMINATING)), []);
  assert.deepEqual(plan(set, pods(PENDING, UP, UP)), []);
});

test('in order, a healthy surplus pod goes though a lower one is broken, a broken one only if it is the lowest', () => {
  const set = buildStatefulSet(1);
  assert.deepEqual(plan(set, pods(UP, PENDING, UP)), ['surplus web-2']);
  assert.deepEqual(plan(set, pods(UP, PENDING, PENDING)), []);
  assert.deepEqual(plan(set, pods(UP, UP, PENDING)), ['surplus web-2']);
});

test('in parallel, all surplus pods go at once', () => {
  const set = buildStatefulSet(1, { podManagementPolicy: 'Parallel' });
  assert.deepEqual(plan(set, pods(UP, UP, PENDING)), ['surplus web-2', 'surplus web-1']);
});

test('an update takes the highest outdated pod, once those above it are up', () => {
  const old = { of: 'old' } as const;
  assert.deepEqual(plan(buildStatefulSet(3), pods(old, old, old)), ['outdated web-2']);
  assert.deepEqual(plan(buildStatefulSet(3), pods(old, old, UP)), ['outdated web-1']);
  assert.deepEqual(plan(buildStatefulSet(3, { podManagementPolicy: 'Parallel' }), pods(old, old, PENDING)), []);
});

test('an update stops at the partition, and below it pods are made from the old template', () => {
  const old = { of: 'old' } as const;
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
  const set = buildStatefulSet(3, { updateStrategy });
  assert.deepEqual(plan(set, pods(old, old, UP)), []);
  assert.deepEqual(plan(set, pods(old)), ['create 1 old']);
  assert.deepEqual(plan(set, pods(old, old)), ['create 2 new']);
});

test('with OnDelete nothing is outdated', () => {
  const set = buildStatefulSet(1, { updateStrategy: { type: 'OnDelete' } });
  assert.deepEqual(plan(set, pods({ of: 'old' })), []);
});

test('numbers may start above zero, and pods that are not of the set are left alone', () => {
  const set = buildStatefulSet(1, { ordinals: { start: 2 } });
  const others = [readyPod('other-2'), readyPod('web-x')];
  assert.deepEqual(plan(set, others), ['create 2 new']);
  assert.deepEqual(plan(set, [...others, ...pods(UP, UP, UP)]), ['surplus web-1']);
});
