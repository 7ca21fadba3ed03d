import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedNodes, nodeMatcher, requiredNodes, termMatcher } from './node-selector.ts';

const node = { name: 'n1', labels: { zone: 'a', size: '10' } };

test('each operator means what it says', () => {
  const meets = (key: string, operator: string, ...values: string[]) =>
    termMatcher({ matchExpressions: [{ key, operator, values }] })(node);
  assert.ok(meets('zone', 'In', 'a', 'b'));
  assert.ok(!meets('zone', 'In', 'b'));
  assert.ok(meets('zone', 'NotIn', 'b'));
  assert.ok(meets('other', 'NotIn', 'b'));
  assert.ok(meets('zone', 'Exists'));
  assert.ok(!meets('zone', 'DoesNotExist'));
  assert.ok(meets('size', 'Gt', '9'));
  assert.ok(!meets('size', 'Lt', '9'));
  assert.ok(!meets('zone', 'Gt', '9'));
});

test('a term that is empty, or says what nobody understands, means no node', () => {
  assert.ok(!termMatcher({})(node));
  assert.ok(!termMatcher({ matchExpressions: [{ key: 'zone', operator: 'Like', values: ['a'] }] })(node));
  assert.ok(!termMatcher({ matchFields: [{ key: 'spec.unschedulable', operator: 'In', values: ['n1'] }] })(node));
});

test('a selector without terms means no node', () => {
  assert.ok(!nodeMatcher({ nodeSelectorTerms: [] })(node));
});

test('selector and affinity must both allow a node; without either all are allowed', () => {
  const term = { matchExpressions: [{ key: 'size', operator: 'Exists' }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } };
  assert.equal(requiredNodes({ containers: [] }), undefined);
  assert.ok(requiredNodes({ containers: [], affinity, nodeSelector: { zone: 'a' } })!(node));
  assert.ok(!requiredNodes({ containers: [], affinity, nodeSelector: { zone: 'b' } })!(node));
});

test('nodes are named only if every term names some', () => {
  const name = (...values: string[]) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values }] });
  const named = (...nodeSelectorTerms: object[]) =>
    namedNodes({
      containers: [],
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    });
  assert.deepEqual(named(name('a'), name('b')), new Set(['a', 'b']));
  assert.equal(named(name('a'), { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }), undefined);
  assert.equal(named(), undefined);
});
