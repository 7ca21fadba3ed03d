import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Deployment, ReplicaSet } from '@karpenter-ts/kubernetes';
import { buildDeployment, buildSet } from '../testing/builders.ts';
import { rolloutLimits } from './rollout-limits.ts';
import { currentSize, shrinkOld } from './rollout.ts';

test('limits that round to nothing let one pod be missing', () => {
  assert.deepEqual(rolloutLimits(buildDeployment(1, { maxSurge: 0, maxUnavailable: '1%' })), {
    maxSurge: 0,
    maxUnavailable: 1,
  });
  assert.deepEqual(rolloutLimits(buildDeployment(1, { maxSurge: '1%', maxUnavailable: '25%' })), {
    maxSurge: 1,
    maxUnavailable: 0,
  });
  assert.deepEqual(rolloutLimits(buildDeployment(0, { maxSurge: 0, maxUnavailable: 0 })), {
    maxSurge: 0,
    maxUnavailable: 0,
  });
});

test('Recreate has no limits and its set has its full size at once', () => {
  const deployment = buildDeployment(4, { maxSurge: 1, maxUnavailable: 1 });
  const recreate: Deployment = { ...deployment, spec: { ...deployment.spec, strategy: { type: 'Recreate' } } };
  assert.deepEqual(rolloutLimits(recreate), { maxSurge: 0, maxUnavailable: 0 });
  assert.equal(currentSize(recreate, { current: undefined, old: [buildSet('old', 4)] }), 4);
});

test('a new set begins with as many pods as the surge allows', () => {
  const deployment = buildDeployment(10, { maxSurge: 3, maxUnavailable: 2 });
  assert.equal(currentSize(deployment, { current: undefined, old: [buildSet('old', 10)] }), 3);
  assert.equal(currentSize(deployment, { current: undefined, old: [buildSet('old', 13)] }), 0);
  assert.equal(currentSize(deployment, { current: buildSet('new', 12), old: [] }), 10);
});

test('old pods that do not work go first', () => {
  const deployment = buildDeployment(10, { maxSurge: 0, maxUnavailable: 2 });
  const broken = buildSet('broken', 3, { available: 0 });
  const steps = shrinkOld(deployment, buildSet('new', 0), [buildSet('fine', 8), broken]);
  assert.deepEqual(
    steps.map(({ set, replicas }) => [set.metadata.name, replicas]),
    [['broken', 0]],
  );
});

test('new pods that are not up yet hold old ones back', () => {
  const deployment = buildDeployment(10, { maxSurge: 3, maxUnavailable: 2 });
  const current = buildSet('new', 5, { available: 0 });
  assert.deepEqual(shrinkOld(deployment, current, [buildSet('old', 8)]), []);
});

/** Brings all pods of a set up. */
function started(set: ReplicaSet): ReplicaSet {
  return buildSet(set.metadata.name, set.spec.replicas);
}

const limits = fc
  .record({ maxSurge: fc.integer({ min: 0, max: 5 }), maxUnavailable: fc.integer({ min: 0, max: 5 }) })
  .filter(({ maxSurge, maxUnavailable }) => maxSurge + maxUnavailable > 0);

test('a rollout of working pods ends, and on the way never exceeds its limits', () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), (given, replicas, before) => {
      const deployment = buildDeployment(replicas, given);
      const { maxSurge, maxUnavailable } = rolloutLimits(deployment);
      let old = buildSet('old', before);
      let current = buildSet('new', 0);
      for (let steps = 0; current.spec.replicas !== replicas || old.spec.replicas !== 0; steps++) {
        assert.ok(steps < 100, 'it does not end');
        const size = currentSize(deployment, { current, old: [old] });
        if (size !== current.spec.replicas) current = started(buildSet('new', size));
        else {
          const [step] = shrinkOld(deployment, current, [old]);
          assert.ok(step !== undefined, 'it is stuck');
          old = started(buildSet('old', step.replicas));
        }
        const pods = current.spec.replicas + old.spec.replicas;
        assert.ok(pods <= Math.max(before, replicas + maxSurge), 'too many pods');
        assert.ok(pods >= Math.min(before, replicas - maxUnavailable), 'too few pods');
      }
    }),
  );
});
