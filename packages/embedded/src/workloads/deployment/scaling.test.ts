import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Deployment } from '@karpenter-ts/kubernetes';
import { buildDeployment, buildSet } from '../testing/builders.ts';
import { isBeingScaled, type Resize, scale } from './scaling.ts';

const LIMITS = { maxSurge: 3, maxUnavailable: 2 };
const sizedFor = (desired: number, max: number) => ({
  'deployment.kubernetes.io/desired-replicas': String(desired),
  'deployment.kubernetes.io/max-replicas': String(max),
});

function sizes(resizes: readonly Resize[]): Readonly<Record<string, number>> {
  return Object.fromEntries(resizes.map(({ set, replicas }) => [set.metadata.name, replicas]));
}

test('the only set takes the whole change', () => {
  const current = buildSet('new', 3);
  assert.deepEqual(sizes(scale(buildDeployment(5, LIMITS), { current, old: [] })), { new: 5 });
  assert.deepEqual(scale(buildDeployment(3, LIMITS), { current, old: [] }), []);
});

test('with no active set the newest is scaled', () => {
  const old = [buildSet('a', 0), buildSet('b', 0)];
  assert.deepEqual(sizes(scale(buildDeployment(2, LIMITS), { current: undefined, old })), { b: 2 });
});

test('in the middle of a rollout sets grow in proportion', () => {
  // The example of the Kubernetes documentation.
  const annotations = sizedFor(10, 13);
  const revisions = {
    current: buildSet('new', 5, { annotations, available: 0 }),
    old: [buildSet('old', 8, { annotations })],
  };
  const deployment = buildDeployment(15, LIMITS);
  assert.ok(isBeingScaled(deployment, revisions));
  assert.deepEqual(sizes(scale(deployment, revisions)), { old: 11, new: 7 });
});

test('in the middle of a rollout all sets go down to nothing with the Deployment', () => {
  const annotations = sizedFor(10, 13);
  const revisions = { current: buildSet('new', 5, { annotations }), old: [buildSet('old', 8, { annotations })] };
  assert.deepEqual(sizes(scale(buildDeployment(0, LIMITS), revisions)), { old: 0, new: 0 });
});

test('old sets beside a complete new one are emptied', () => {
  const current = buildSet('new', 4, { annotations: sizedFor(4, 7) });
  const revisions = { current, old: [buildSet('old', 2)] };
  assert.deepEqual(sizes(scale(buildDeployment(4, LIMITS), revisions)), { old: 0 });
});

test('Recreate does not share anything out', () => {
  const deployment = buildDeployment(6, LIMITS);
  const recreate: Deployment = { ...deployment, spec: { ...deployment.spec, strategy: { type: 'Recreate' } } };
  assert.deepEqual(scale(recreate, { current: buildSet('new', 2), old: [buildSet('old', 2)] }), []);
});

test('shares add up to what is allowed, and none is negative', () => {
  const size = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(size, size, size, fc.integer({ min: 1, max: 60 }), (a, b, c, replicas) => {
      const annotations = sizedFor(a + b + c, a + b + c);
      const old = [buildSet('a', a, { annotations }), buildSet('b', b, { annotations })];
      const revisions = { current: buildSet('c', c, { annotations, available: 0 }), old };
      const shares = Object.values(sizes(scale(buildDeployment(replicas, LIMITS), revisions)));
      assert.ok(shares.every((share) => share >= 0));
      assert.equal(
        shares.reduce((sum, share) => sum + share, 0),
        replicas + LIMITS.maxSurge,
      );
    }),
  );
});
