import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConditionChange, findCondition } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, type NodeClaim } from '@karpenter-ts/apis';
import { withCondition } from '../../writes/conditions.ts';
import { makeNodeClaim } from '../../testing/objects.ts';
import { replay } from './progress.ts';

const NOW = Date.UTC(2026, 0, 1);

function set(nodeClaim: NodeClaim, change: ConditionChange<'Launched' | 'Drifted' | 'Registered'>): NodeClaim {
  return withCondition(nodeClaim, NODE_CLAIM_CONDITIONS, change, NOW);
}

const before = set(makeNodeClaim('c1', { status: {} }), {
  type: 'Registered',
  status: 'Unknown',
  reason: 'NodeNotFound',
});
const launched = set(before, { type: 'Launched', status: 'True' });
const after: NodeClaim = { ...launched, status: { ...launched.status, providerID: 'x' } };

test('progress on an unchanged NodeClaim is the progress', () => {
  assert.equal(replay({ before, after }, before, NOW), after);
  assert.equal(replay({ before, after }, structuredClone(before), NOW), after);
});

test('what others wrote meanwhile stays, and so does what they took away', () => {
  const withDrift = set(before, { type: 'Drifted', status: 'True', reason: 'A' });
  const progress = {
    before: withDrift,
    after: {
      ...after,
      status: {
        ...after.status,
        conditions: [...(launched.status?.conditions ?? []), findCondition(withDrift, 'Drifted')!],
      },
    },
  };
  const latest: NodeClaim = { ...before, status: { ...before.status, lastPodEventTime: '2026-01-01T00:00:00Z' } };
  const replayed = replay(progress, latest, NOW);
  assert.equal(findCondition(replayed, 'Drifted'), undefined);
  assert.equal(findCondition(replayed, 'Launched')?.status, 'True');
  assert.equal(replayed.status?.lastPodEventTime, '2026-01-01T00:00:00Z');
  assert.equal(replayed.status?.providerID, 'x');
});

test('Ready follows from all conditions together', () => {
  const latest = set(before, { type: 'Registered', status: 'False', reason: 'MultipleNodesFound', message: '' });
  assert.equal(findCondition(replay({ before, after }, latest, NOW), 'Ready')?.reason, 'UnhealthyDependents');
});
