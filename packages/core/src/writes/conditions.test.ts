import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition, isTrue } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, type NodeClaim } from '@karpenter-ts/apis';
import { withCondition, withoutCondition } from './conditions.ts';
import { makeNodeClaim } from '../testing/objects.ts';

const CREATED = '2026-01-01T00:00:00Z';
const NOW = Date.parse('2026-01-01T00:10:00Z');

function fresh(): NodeClaim {
  const claim = makeNodeClaim('c1');
  return { ...claim, metadata: { ...claim.metadata, creationTimestamp: CREATED, generation: 1 } };
}

test('03/121 a fresh NodeClaim counts from its creation, with Ready waiting for the other three', () => {
  const change = { type: 'Launched', status: 'Unknown' } as const;
  const { conditions = [] } = withCondition(fresh(), NODE_CLAIM_CONDITIONS, change, NOW).status ?? {};
  const byType = new Map(conditions.map((condition) => [condition.type, condition]));
  assert.deepEqual([...byType.keys()].sort(), ['Initialized', 'Launched', 'Ready', 'Registered']);
  for (const { lastTransitionTime } of conditions) assert.equal(lastTransitionTime, CREATED);
  for (const type of ['Launched', 'Registered', 'Initialized']) {
    assert.deepEqual(
      [byType.get(type)?.reason, byType.get(type)?.message],
      ['AwaitingReconciliation', 'object is awaiting reconciliation'],
    );
  }
  const ready = byType.get('Ready');
  assert.deepEqual([ready?.status, ready?.reason], ['Unknown', 'ReconcilingDependents']);
  for (const type of ['Launched', 'Registered', 'Initialized']) assert.ok(ready?.message?.includes(`${type}=Unknown`));
});

test('03/122 a condition set to what it is changes nothing; another reason alone is no transition', () => {
  const launched = withCondition(fresh(), NODE_CLAIM_CONDITIONS, { type: 'Launched', status: 'True' }, NOW);
  const again = withCondition(launched, NODE_CLAIM_CONDITIONS, { type: 'Launched', status: 'True' }, NOW + 60_000);
  assert.equal(again, launched);
  const reworded = { type: 'Launched', status: 'True', reason: 'Other' } as const;
  const changed = findCondition(withCondition(launched, NODE_CLAIM_CONDITIONS, reworded, NOW + 60_000), 'Launched');
  assert.equal(changed?.reason, 'Other');
  assert.equal(changed?.lastTransitionTime, findCondition(launched, 'Launched')?.lastTransitionTime);
});

test('a condition that is not there is not True, and need not be taken away', () => {
  const claim = fresh();
  assert.equal(isTrue(claim, 'Drifted'), false);
  assert.equal(withoutCondition(claim, NODE_CLAIM_CONDITIONS, 'Drifted', NOW), claim);
  const drifted = withCondition(claim, NODE_CLAIM_CONDITIONS, { type: 'Drifted', status: 'True' }, NOW);
  assert.equal(isTrue(drifted, 'Drifted'), true);
  assert.equal(findCondition(withoutCondition(drifted, NODE_CLAIM_CONDITIONS, 'Drifted', NOW), 'Drifted'), undefined);
});
