import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scenario } from '@karpenter-ts/apis/manifests';
import fc from 'fast-check';
import { withPodCount } from './pod-count.ts';

type Spec = Scenario['spec'];

const SPEC: Spec = {
  workloads: [
    { name: 'web', kind: 'Deployment', replicas: 30 },
    { name: 'agent', kind: 'DaemonSet', replicas: 1 },
    { name: 'job', kind: 'Job', replicas: 10 },
  ],
  steps: [
    { at: '10s', scale: { workload: 'web', replicas: 60 } },
    { at: '20s', delete: { workload: 'job' } },
  ],
};

test('workloads keep their share, steps their multiple, and a DaemonSet its nodes', () => {
  const { workloads, steps } = withPodCount(SPEC, 401);
  assert.deepEqual(
    workloads.map(({ replicas }) => replicas),
    [301, 1, 100],
  );
  assert.equal(steps[0]!.scale!.replicas, 602);
  assert.equal(steps[1], SPEC.steps[1]);
});

test('there are exactly as many pods as asked for, if there is anyone to have them', () => {
  const replicas = fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(replicas, fc.nat({ max: 20_000 }), (counts, pods) => {
      const workloads = counts.map((count, i) => ({ name: `w${i}`, kind: 'Deployment' as const, replicas: count }));
      const total = withPodCount({ workloads, steps: [] }, pods).workloads.reduce((sum, one) => sum + one.replicas, 0);
      assert.equal(total, counts.some((count) => count > 0) ? pods : 0);
    }),
  );
});
