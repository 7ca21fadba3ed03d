import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { deepFreeze, type JsonObject } from '@karpenter-ts/kubernetes';
import { applyMergePatch } from './merge-patch.ts';
import { PatchError } from './patch-error.ts';

test('random patches give what the real server’s library gives', () => {
  // Made with gopkg.in/evanphx/json-patch.v4.
  const golden = readFileSync(new URL('merge-patch.golden.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  for (const line of golden) {
    const { object, patch, result } = JSON.parse(line) as Readonly<Record<'object' | 'patch' | 'result', JsonObject>>;
    assert.deepEqual(applyMergePatch(deepFreeze(object), JSON.stringify(patch), false), result, line);
  }
});

test('objects merge, null deletes, and everything else replaces', () => {
  const object = { spec: { replicas: 1, paused: true }, list: [1, 2] };
  const merged = applyMergePatch(
    object,
    '{"spec":{"replicas":2,"paused":null,"new":{"a":null,"b":1}},"list":[3]}',
    false,
  );
  assert.deepEqual(merged, { spec: { replicas: 2, new: { b: 1 } }, list: [3] });
});

test('members that every JavaScript object inherits are no members', () => {
  const merged = applyMergePatch({}, '{"__proto__":{"polluted":1},"constructor":{"a":1}}', false);
  assert.equal(JSON.stringify(merged), '{"__proto__":{"polluted":1},"constructor":{"a":1}}');
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
});

test('a body that is no object is a bad request', () => {
  const cases: Readonly<Record<string, string>> = {
    null: 'Invalid JSON Patch',
    '': 'error decoding patch: unexpected end of JSON input',
    '[]': 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    '"x"': 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
  };
  for (const [body, message] of Object.entries(cases)) {
    assert.throws(() => applyMergePatch({}, body, false), new PatchError(400, message));
  }
});
