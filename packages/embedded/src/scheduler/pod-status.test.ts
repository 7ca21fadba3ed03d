import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodStatus } from '@karpenter-ts/kubernetes';
import { failurePatch } from './pod-status.ts';
import { podObject } from './testing/cluster.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0, 987);
const FAILURE = { reason: 'Unschedulable', message: 'full', endsNomination: true } as const;
const pod = (status: PodStatus) => ({ ...podObject('pod'), status });
const CONDITION = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message: 'full',
  lastProbeTime: null,
  lastTransitionTime: '2026-01-01T12:00:00Z',
  observedGeneration: 1,
};

test('a first failure is told with its time', () => {
  assert.deepEqual(failurePatch(pod({}), FAILURE, NOW), { status: { conditions: [CONDITION] } });
});

test('a failure that is told already is not told again', () => {
  assert.equal(failurePatch(pod({ conditions: [CONDITION] }), FAILURE, NOW + 1000), undefined);
});

test('another message keeps the time since when the pod waits', () => {
  const patch = failurePatch(pod({ conditions: [CONDITION] }), { ...FAILURE, message: 'fuller' }, NOW + 60_000);
  assert.deepEqual(patch, { status: { conditions: [{ ...CONDITION, message: 'fuller' }] } });
});

test('a promise the failure ends is taken back, even if there is nothing else to tell', () => {
  const status = { conditions: [CONDITION], nominatedNodeName: 'n1' };
  assert.deepEqual(failurePatch(pod(status), FAILURE, NOW), {
    status: { conditions: [CONDITION], nominatedNodeName: null },
  });
  assert.equal(failurePatch(pod(status), { ...FAILURE, endsNomination: false }, NOW), undefined);
});
