import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonPath } from './json-path.ts';

const OBJECT = {
  'a.b/c': 1,
  list: [
    { type: 'Ready', status: 'True', n: 1 },
    { type: 'Other', n: 2 },
  ],
  map: { x: 'y' },
};

const found = (path: string) => parseJsonPath(path)?.(OBJECT);

test('a path finds members, elements and what meets a condition', () => {
  assert.deepEqual(found('.map.x'), ['y']);
  assert.deepEqual(found('.a\\.b/c'), [1]);
  assert.deepEqual(found("['a.b/c']"), [1]);
  assert.deepEqual(found('.list[-1].type'), ['Other']);
  assert.deepEqual(found('.list[*].n'), [1, 2]);
  assert.deepEqual(found('.map.*'), ['y']);
  assert.deepEqual(found('.list[?(@.type=="Ready")].status'), ['True']);
  assert.deepEqual(found(".list[?(@.type != 'Ready')].n"), [2]);
  assert.deepEqual(found('.list[?(@.n==2)].type'), ['Other']);
  assert.deepEqual(found('.list[?(@.status)].type'), ['Ready']);
});

test('what is not there is not found', () => {
  for (const path of ['.nothing', '.map.x.y', '.list[7]', '.list.type', '.map[0]', '.constructor']) {
    assert.deepEqual(found(path), [], path);
  }
});

test('what is no path is refused', () => {
  for (const path of ['spec', '.spec[', '.list[?(@.a==b)]', '..a', '.a b]']) {
    assert.equal(parseJsonPath(path), undefined, path);
  }
});
