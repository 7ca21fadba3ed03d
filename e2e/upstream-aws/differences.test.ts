import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDifferences } from './differences.ts';

test('recordings that are the same have no differences, in whatever order they are', () => {
  const [one, two] = [{ name: 'a' }, { name: 'b' }];
  assert.deepEqual(findDifferences('guide', { Node: [one, two] }, { Node: [two, one] }), []);
});

test('a difference is named by its way into the objects, and has what both sides say', () => {
  const upstream = { 'ec2 CreateFleet': [{ Type: 'instant', Tags: [{ Key: 'a', Value: '1' }] }] };
  const ours = { 'ec2 CreateFleet': [{ Type: 'instant', Tags: [{ Key: 'a', Value: '2' }] }] };
  assert.deepEqual(findDifferences('guide', upstream, ours), [
    { guide: 'guide', path: 'ec2 CreateFleet[].Tags[].Value', upstream: '1', ours: '2' },
  ]);
});

test('what only one side has is a difference', () => {
  const paths = findDifferences(
    'guide',
    { Node: [{ name: 'a' }, { name: 'b' }] },
    { Node: [{ name: 'b' }], instance: [1] },
  );
  assert.deepEqual(paths, [
    { guide: 'guide', path: 'Node[]', upstream: { name: 'a' }, ours: undefined },
    { guide: 'guide', path: 'instance[]', upstream: [], ours: [1] },
  ]);
});

test('of lists of texts the lines are told that the other does not have, as often as they are missing', () => {
  const [found] = findDifferences('guide', { data: [['a', 'b', 'b']] }, { data: [['b', 'a', 'c']] });
  assert.deepEqual(found, { guide: 'guide', path: 'data[]', upstream: [['a', 'b', 'b']], ours: [['b', 'a', 'c']] });
  const [inside] = findDifferences('guide', { data: [{ lines: ['a', 'b', 'b'] }] }, { data: [{ lines: ['b', 'a'] }] });
  assert.deepEqual(inside, { guide: 'guide', path: 'data[].lines[]', upstream: ['b'], ours: [] });
});
