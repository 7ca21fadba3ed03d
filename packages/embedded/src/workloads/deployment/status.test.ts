import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '@karpenter-ts/runtime';
import { findCondition } from '../conditions.ts';
import { buildDeployment, buildSet, NOON } from '../testing/builders.ts';
import { type Deployment, type DeploymentStatus, timestamp } from '@karpenter-ts/kubernetes';
import { plainStatus, rolloutStatus, untilDeadline, withVerdict } from './status.ts';

const LIMITS = { maxSurge: 1, maxUnavailable: 1 };

function progressing(status: DeploymentStatus) {
  const condition = findCondition(status.conditions, 'Progressing');
  return condition && { status: condition.status, reason: condition.reason };
}

/** The Deployment some time into its rollout. */
function underWay(reason: string, status: DeploymentStatus = {}): Deployment {
  const at = timestamp(NOON);
  const condition = { type: 'Progressing', status: 'True', reason, lastUpdateTime: at, lastTransitionTime: at };
  return buildDeployment(3, LIMITS, { status: { ...status, conditions: [condition] } });
}

test('a Deployment is available while no more pods are missing than may be', () => {
  const current = buildSet('new', 3, { available: 2 });
  const enough = plainStatus(buildDeployment(3, LIMITS), { current, old: [] }, NOON);
  assert.equal(findCondition(enough.conditions, 'Available')?.status, 'True');
  assert.equal(enough.unavailableReplicas, 1);
  const few = plainStatus(buildDeployment(4, LIMITS), { current, old: [] }, NOON);
  assert.equal(findCondition(few.conditions, 'Available')?.status, 'False');
});

test('pods that are terminating are unknown while a set does not tell of them', () => {
  const current = buildSet('new', 3);
  const { terminatingReplicas: _, ...silent } = current.status ?? { replicas: 0 };
  assert.equal(plainStatus(buildDeployment(3, LIMITS), { current, old: [] }, NOON).terminatingReplicas, 0);
  const status = plainStatus(buildDeployment(3, LIMITS), { current: { ...current, status: silent }, old: [] }, NOON);
  assert.equal(status.terminatingReplicas, undefined);
});

test('more updated pods are progress, and put the deadline off', () => {
  const later = NOON + 30 * SECOND;
  const deployment = underWay('NewReplicaSetCreated', { replicas: 3, updatedReplicas: 0 });
  const status = rolloutStatus(deployment, { current: buildSet('new', 1), old: [buildSet('old', 2)] }, later);
  assert.deepEqual(progressing(status), { status: 'True', reason: 'ReplicaSetUpdated' });
  const condition = findCondition(status.conditions, 'Progressing');
  assert.equal(condition?.lastUpdateTime, timestamp(later));
  assert.equal(condition?.lastTransitionTime, timestamp(NOON));
});

test('no progress for longer than the deadline is failure', () => {
  const counts = { replicas: 4, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
  const revisions = { current: buildSet('new', 2, { available: 0 }), old: [buildSet('old', 2)] };
  const at = (seconds: number) =>
    rolloutStatus(underWay('ReplicaSetUpdated', counts), revisions, NOON + seconds * SECOND);
  assert.equal(progressing(at(600))?.reason, 'ReplicaSetUpdated');
  assert.deepEqual(progressing(at(601)), { status: 'False', reason: 'ProgressDeadlineExceeded' });
});

test('a complete rollout is not late, however old it is', () => {
  const counts = { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3, observedGeneration: 1 };
  const revisions = { current: buildSet('new', 3), old: [] };
  const done = rolloutStatus(underWay('NewReplicaSetAvailable', counts), revisions, NOON + 10_000 * SECOND);
  assert.deepEqual(progressing(done), { status: 'True', reason: 'NewReplicaSetAvailable' });
  const broken = { current: buildSet('new', 3, { available: 0 }), old: [] };
  const later = rolloutStatus(underWay('NewReplicaSetAvailable', counts), broken, NOON + 10_000 * SECOND);
  assert.deepEqual(progressing(later), { status: 'True', reason: 'NewReplicaSetAvailable' });
});

test('without a deadline nothing is said of progress', () => {
  const { spec, ...rest } = underWay('ReplicaSetUpdated');
  const { progressDeadlineSeconds: _, ...unhurried } = spec;
  const status = rolloutStatus({ ...rest, spec: unhurried }, { current: buildSet('new', 3), old: [] }, NOON);
  assert.equal(progressing(status), undefined);
});

test('a refusal of pods is shown at the Deployment until it is over', () => {
  const failure = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    lastTransitionTime: timestamp(NOON),
  };
  const set = buildSet('new', 3);
  const failing = { ...set, status: { replicas: 0, conditions: [failure] } };
  const status = rolloutStatus(underWay('ReplicaSetUpdated'), { current: failing, old: [] }, NOON);
  assert.equal(findCondition(status.conditions, 'ReplicaFailure')?.reason, 'FailedCreate');
  const healed = rolloutStatus({ ...underWay('ReplicaSetUpdated'), status }, { current: set, old: [] }, NOON);
  assert.equal(findCondition(healed.conditions, 'ReplicaFailure'), undefined);
});

test('the next look at a slow rollout is a second after its deadline', () => {
  const deployment = underWay('ReplicaSetUpdated', { replicas: 1 });
  assert.equal(untilDeadline(deployment, { replicas: 1 }, NOON + 100 * SECOND), 501 * SECOND);
  assert.equal(untilDeadline(underWay('ProgressDeadlineExceeded'), {}, NOON), undefined);
});

test('a verdict that says the same keeps its times and its place', () => {
  const first = withVerdict([], { type: 'A', status: 'True', reason: 'R', message: 'm' }, NOON);
  assert.equal(withVerdict(first, { type: 'A', status: 'True', reason: 'R', message: 'other' }, NOON + SECOND), first);
  const [next] = withVerdict(first, { type: 'A', status: 'True', reason: 'S', message: 'm' }, NOON + SECOND);
  assert.equal(next?.lastTransitionTime, timestamp(NOON));
  assert.equal(next?.lastUpdateTime, timestamp(NOON + SECOND));
});
