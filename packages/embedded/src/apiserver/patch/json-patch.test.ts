import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { deepFreeze, type Json, type JsonObject } from '@karpenter-ts/kubernetes';
import { applyJsonPatch } from './json-patch.ts';
import { PatchError } from './patch-error.ts';

const patched = (object: JsonObject, operations: Json): Json =>
  applyJsonPatch(deepFreeze(object), JSON.stringify(operations));

const REFUSED = new PatchError(422, 'the server rejected our request due to an error in our request');

test('random patches give what the real server’s library gives', () => {
  // Made with gopkg.in/evanphx/json-patch.v4; a case without a result is one it refuses.
  const golden = readFileSync(new URL('json-patch.golden.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  for (const line of golden) {
    const { object, patch, result } = JSON.parse(line) as { object: JsonObject; patch: Json; result?: Json };
    if (result === undefined) assert.throws(() => patched(object, patch), REFUSED, line);
    else assert.deepEqual(patched(object, patch), result, line);
  }
});

test('operations build on each other', () => {
  const operations = [
    { op: 'add', path: '/metadata/labels', value: {} },
    { op: 'add', path: '/metadata/labels/example.com~1team', value: 'a' },
    { op: 'copy', from: '/metadata/labels', path: '/metadata/annotations' },
    { op: 'move', from: '/metadata/name', path: '/metadata/annotations/old' },
  ];
  assert.deepEqual(patched({ metadata: { name: 'x' } }, operations), {
    metadata: { labels: { 'example.com/team': 'a' }, annotations: { 'example.com/team': 'a', old: 'x' } },
  });
});

test('elements are inserted, appended, counted from the end and removed', () => {
  const list = (...operations: readonly Json[]) => patched({ l: [1, 2, 3] }, operations);
  assert.deepEqual(list({ op: 'add', path: '/l/1', value: 9 }), { l: [1, 9, 2, 3] });
  assert.deepEqual(list({ op: 'add', path: '/l/-', value: 9 }), { l: [1, 2, 3, 9] });
  assert.deepEqual(list({ op: 'add', path: '/l/3', value: 9 }), { l: [1, 2, 3, 9] });
  assert.deepEqual(list({ op: 'replace', path: '/l/-1', value: 9 }), { l: [1, 2, 9] });
  assert.deepEqual(list({ op: 'remove', path: '/l/0' }), { l: [2, 3] });
  assert.throws(() => list({ op: 'add', path: '/l/4', value: 9 }), REFUSED);
  assert.throws(() => list({ op: 'remove', path: '/l/3' }), REFUSED);
});

test('a failed test refuses the whole patch', () => {
  const operations = [
    { op: 'replace', path: '/a', value: 2 },
    { op: 'test', path: '/a', value: 1 },
  ];
  assert.throws(() => patched({ a: 1 }, operations), REFUSED);
});

test('a missing member tests as null, and may be replaced but not removed', () => {
  assert.deepEqual(patched({}, [{ op: 'test', path: '/a', value: null }]), {});
  assert.deepEqual(patched({}, [{ op: 'replace', path: '/a', value: 1 }]), { a: 1 });
  assert.throws(() => patched({}, [{ op: 'remove', path: '/a' }]), REFUSED);
});

test('members that every JavaScript object inherits are no members', () => {
  assert.throws(() => patched({}, [{ op: 'remove', path: '/constructor' }]), REFUSED);
  assert.throws(() => patched({}, [{ op: 'add', path: '/__proto__/polluted', value: 1 }]), REFUSED);
  const own = patched({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }]);
  assert.equal(JSON.stringify(own), '{"__proto__":{"polluted":1}}');
  assert.equal(Object.getPrototypeOf(own), Object.prototype);
});

test('a body that is no list of operations is a bad request that names the mismatch', () => {
  const cases: Readonly<Record<string, string>> = {
    '{': 'unexpected end of JSON input',
    '{}': 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    '[1]': 'json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    '[{"op":1}]': 'json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    '[{"op":"add","path":[]}]': 'json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string',
  };
  for (const [body, problem] of Object.entries(cases)) {
    assert.throws(() => applyJsonPatch({}, body), new PatchError(400, `error decoding patch: ${problem}`));
  }
});

test('no operations change nothing', () => {
  for (const body of ['[]', 'null']) assert.deepEqual(applyJsonPatch({ a: 1 }, body), { a: 1 });
});

test('copies that add up to more than 3 MiB are refused, before they fill the memory', () => {
  const copy = (from: string, path: string) => ({ op: 'copy', from, path });
  const doublings = Array.from({ length: 27 }, (_, i) => copy('/l', i % 2 === 0 ? '/l/-' : '/l/0'));
  assert.throws(() => patched({ l: ['x'] }, doublings), REFUSED);
  const large = 'x'.repeat(1024 * 1024 - 2);
  const copies = (count: number) =>
    patched(
      { large },
      Array.from({ length: count }, (_, i) => copy('/large', `/${i}`)),
    );
  assert.equal(Object.keys(copies(3) as JsonObject).length, 4);
  assert.throws(() => copies(4), REFUSED);
});

test('a copy and what it was copied from change apart from each other', () => {
  const operations = [
    { op: 'add', path: '/a/x', value: 1 },
    { op: 'copy', from: '/a', path: '/b' },
    { op: 'add', path: '/a/x', value: 2 },
    { op: 'add', path: '/b/y/-', value: 3 },
  ];
  assert.deepEqual(patched({ a: { y: [] } }, operations), { a: { x: 2, y: [] }, b: { x: 1, y: [3] } });
});

test('what moves into each other does not nest beyond what can be read', () => {
  const nest = Array.from({ length: 3000 }, (_, i) => [
    { op: 'add', path: i % 2 === 0 ? '/b' : '/a', value: {} },
    { op: 'move', from: i % 2 === 0 ? '/a' : '/b', path: i % 2 === 0 ? '/b/x' : '/a/x' },
  ]).flat();
  assert.throws(() => patched({ a: {} }, nest), REFUSED);
});

test('more than ten thousand operations are too many', () => {
  const operations = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }));
  assert.deepEqual(patched({ a: 1 }, operations(10_000)), { a: 1 });
  assert.throws(
    () => patched({ a: 1 }, operations(10_001)),
    new PatchError(413, 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001'),
  );
});
