import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsAffinity, hasUntolerated, matchesTerm, tolerates } from './node-fit.ts';
import { buildNode } from './testing/builders.ts';

const TAINT = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };

test('a toleration matches by key, value and effect, each of which it may leave open', () => {
  assert.ok(tolerates({ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }, TAINT));
  assert.ok(tolerates({ key: 'dedicated', operator: 'Exists' }, TAINT));
  assert.ok(tolerates({ operator: 'Exists' }, TAINT));
  assert.ok(!tolerates({ key: 'dedicated', value: 'cpu' }, TAINT));
  assert.ok(!tolerates({ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }, TAINT));
});

test('only taints of the effects asked for keep a pod away', () => {
  assert.ok(hasUntolerated([TAINT], [], ['NoSchedule']));
  assert.ok(!hasUntolerated([TAINT], [], ['NoExecute']));
  assert.ok(!hasUntolerated([TAINT], [{ operator: 'Exists' }], ['NoSchedule']));
  assert.ok(!hasUntolerated(undefined, undefined, ['NoSchedule']));
});

test('a node fits if it has all labels of the selector and meets one term of the affinity', () => {
  const node = buildNode('a', {}, { zone: 'z1', cores: '8' });
  const affinity = (...terms: readonly object[]) => ({
    containers: [],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  });
  const inZone = (zone: string) => ({ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] });
  assert.ok(fitsAffinity({ containers: [], nodeSelector: { zone: 'z1' } }, node));
  assert.ok(!fitsAffinity({ containers: [], nodeSelector: { zone: 'z1', disk: 'ssd' } }, node));
  assert.ok(fitsAffinity(affinity(inZone('z2'), inZone('z1')), node));
  assert.ok(!fitsAffinity(affinity(inZone('z2')), node));
});

test('each operator of a term means what the scheduler means', () => {
  const node = buildNode('a', {}, { cores: '8' });
  const meets = (key: string, operator: string, values?: readonly string[]): boolean =>
    matchesTerm({ matchExpressions: [{ key, operator, ...(values && { values }) }] }, node);
  assert.ok(meets('cores', 'Exists') && !meets('disk', 'Exists'));
  assert.ok(meets('disk', 'DoesNotExist') && !meets('cores', 'DoesNotExist'));
  assert.ok(meets('cores', 'NotIn', ['4']) && meets('disk', 'NotIn', ['ssd']) && !meets('cores', 'NotIn', ['8']));
  assert.ok(meets('cores', 'Gt', ['4']) && !meets('cores', 'Gt', ['8']) && !meets('disk', 'Gt', ['1']));
  assert.ok(meets('cores', 'Lt', ['9']) && !meets('cores', 'Lt', ['8']));
  assert.ok(!meets('cores', 'Near', ['8']));
});

test('a term may name the node, and an empty one is met by none', () => {
  const named = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] };
  assert.ok(matchesTerm(named, buildNode('a')));
  assert.ok(!matchesTerm(named, buildNode('b')));
  assert.ok(!matchesTerm({}, buildNode('a')));
});
