import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NODE_CLAIM_CONDITIONS, NODE_POOL_CONDITIONS, KWOK_NODE_CLASS_CONDITIONS } from './condition-rules.ts';
import { type Condition, type ConditionedObject, Conditions } from '@karpenter-ts/kubernetes';

const CREATED = '2024-01-01T00:00:00Z';
const NOW = Date.parse('2024-01-01T00:10:00Z');
const MINUTE = 60_000;

const claim = (metadata: object = {}, conditions?: readonly Condition[]): ConditionedObject => ({
  metadata: { generation: 1, creationTimestamp: CREATED, ...metadata },
  status: { conditions },
});
const claimConditions = (object: ConditionedObject, now = NOW) => new Conditions(object, NODE_CLAIM_CONDITIONS, now);
const types = (conditions: readonly Condition[]) => conditions.map((condition) => condition.type);

test('01/49 a fresh NodeClaim awaits reconciliation since its creation', () => {
  const conditions = claimConditions(claim());
  assert.deepEqual(types(conditions.list), ['Launched', 'Registered', 'Initialized', 'Ready']);
  assert.deepEqual(conditions.find('Launched'), {
    type: 'Launched',
    status: 'Unknown',
    observedGeneration: 1,
    lastTransitionTime: CREATED,
    reason: 'AwaitingReconciliation',
    message: 'object is awaiting reconciliation',
  });
  assert.deepEqual(conditions.find('Ready'), {
    type: 'Ready',
    status: 'Unknown',
    observedGeneration: 1,
    lastTransitionTime: CREATED,
    reason: 'ReconcilingDependents',
    message: 'Launched=Unknown, Registered=Unknown, Initialized=Unknown',
  });
});

test('01/50 one failed dependent makes Ready False, the newest transition named first', () => {
  const launched = claimConditions(claim()).set({ type: 'Launched', status: 'True' });
  assert.equal(launched.find('Ready')?.message, 'Registered=Unknown, Initialized=Unknown');
  const change = { type: 'Registered', status: 'False', reason: 'MultipleNodesFound', message: 'm' } as const;
  const failed = claimConditions(claim({}, launched.list), NOW + MINUTE).set(change);
  assert.deepEqual(failed.find('Ready'), {
    type: 'Ready',
    status: 'False',
    observedGeneration: 1,
    lastTransitionTime: '2024-01-01T00:11:00Z',
    reason: 'UnhealthyDependents',
    message: 'Registered=False, Initialized=Unknown',
  });
  assert.deepEqual(types(failed.list), ['Initialized', 'Launched', 'Registered', 'Ready']);
});

const launch = (conditions: Conditions<'Launched' | 'Registered' | 'Initialized' | 'Drifted'>) =>
  conditions
    .set({ type: 'Launched', status: 'True' })
    .set({ type: 'Registered', status: 'True' })
    .set({ type: 'Initialized', status: 'True' });

test('Ready is True once all dependents are, with itself as the reason', () => {
  const ready = launch(claimConditions(claim())).find('Ready');
  assert.deepEqual([ready?.status, ready?.reason, ready?.message], ['True', 'Ready', '']);
  assert.equal(ready?.lastTransitionTime, '2024-01-01T00:10:00Z');
});

test('a condition Ready does not depend on starts now and leaves Ready alone', () => {
  const stored = launch(claimConditions(claim())).list;
  const change = { type: 'Drifted', status: 'True', reason: 'NodePoolDrifted', message: 'NodePoolDrifted' } as const;
  const drifted = claimConditions(claim({}, stored), NOW + MINUTE).set(change);
  assert.equal(drifted.find('Drifted')?.lastTransitionTime, '2024-01-01T00:11:00Z');
  assert.equal(drifted.find('Ready')?.status, 'True');
  assert.deepEqual(types(drifted.list), ['Launched', 'Registered', 'Initialized', 'Drifted', 'Ready']);
});

test('a dependent observed at an older generation makes Ready Unknown until it is looked at again', () => {
  const stored = launch(claimConditions(claim())).list;
  const edited = claimConditions(claim({ generation: 2 }, stored), NOW + MINUTE);
  assert.equal(edited.list, stored);
  const partly = edited.set({ type: 'Launched', status: 'True' });
  assert.equal(partly.find('Launched')?.lastTransitionTime, '2024-01-01T00:10:00Z');
  assert.equal(partly.find('Ready')?.status, 'Unknown');
  assert.equal(partly.find('Ready')?.message, 'Registered=True, Initialized=True');
  assert.equal(launch(partly).find('Ready')?.status, 'True');
});

test('a stale failure does not make Ready False', () => {
  const failed = claimConditions(claim()).set({ type: 'Registered', status: 'False', reason: 'R', message: '' }).list;
  const edited = claimConditions(claim({ generation: 2 }, failed)).set({ type: 'Launched', status: 'True' });
  assert.equal(edited.find('Ready')?.status, 'Unknown');
});

test('setting what is stored changes nothing, even while the object is deleted', () => {
  const stored = launch(claimConditions(claim())).list;
  const deleting = claimConditions(claim({ generation: 1, deletionTimestamp: CREATED }, stored), NOW + MINUTE);
  assert.equal(deleting.set({ type: 'Launched', status: 'True' }), deleting);
});

test('while an object is deleted any change brings all conditions to its generation', () => {
  const stored = launch(claimConditions(claim())).list;
  const deleting = claimConditions(claim({ generation: 2, deletionTimestamp: CREATED }, stored), NOW + MINUTE);
  const changed = deleting.set({ type: 'InstanceTerminating', status: 'True' });
  assert.deepEqual(new Set(changed.list.map((condition) => condition.observedGeneration)), new Set([2]));
  assert.equal(changed.find('Ready')?.status, 'True');
});

test('clearing removes a condition, sorts the rest by type and refuses what must exist', () => {
  const change = { type: 'Drifted', status: 'True', reason: 'AMIDrift', message: 'AMIDrift' } as const;
  const drifted = claimConditions(claim()).set(change);
  assert.deepEqual(types(drifted.clear('Drifted').list), ['Initialized', 'Launched', 'Ready', 'Registered']);
  assert.equal(drifted.clear('Consolidatable'), drifted);
  assert.throws(() => drifted.clear('Launched'), /always exists/);
});

test('a dependent that a new release adds makes a ready object Unknown from now on', () => {
  const older: Condition = { type: 'Ready', status: 'True', observedGeneration: 1, lastTransitionTime: CREATED };
  const ready = new Conditions(claim({}, [older]), NODE_POOL_CONDITIONS, NOW).find('Ready');
  assert.equal(ready?.status, 'Unknown');
  assert.equal(ready?.lastTransitionTime, '2024-01-01T00:10:00Z');
});

test('a kind without dependents keeps the Ready it is given', () => {
  const defaulted: Condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: '',
    lastTransitionTime: CREATED,
  };
  const object = claim({}, [defaulted]);
  assert.deepEqual(new Conditions(object, KWOK_NODE_CLASS_CONDITIONS, NOW).list, [defaulted]);
});

test('arbitrary changes of a NodeClaim leave the conditions that upstream 1.14.1 leaves', () => {
  const golden = readFileSync(new URL('conditions.golden.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  for (const line of golden) {
    const { steps, conditions } = JSON.parse(line);
    let stored: readonly Condition[] = [];
    for (const { at, gen, del, type, status, ...why } of steps) {
      const object = claim({ generation: gen, deletionTimestamp: del && CREATED }, stored);
      const before = claimConditions(object, Date.parse(CREATED) + at * 1000);
      stored = (status === 'Clear' ? before.clear(type) : before.set({ type, status, ...why })).list;
    }
    const rows = stored.map((c) => [c.type, c.status, c.observedGeneration, c.lastTransitionTime, c.reason, c.message]);
    assert.deepEqual(rows, conditions, line);
  }
});
