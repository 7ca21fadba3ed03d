import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from '@karpenter-ts/kubernetes';
import fc from 'fast-check';
import { mergePatchOf } from './merge-patch.ts';

test('only what differs is in the patch: members are set, removed or left out, lists replaced whole', () => {
  const before = { a: 1, b: { c: [1, 2], d: 'x' }, e: 'gone', f: { g: 1 } };
  const after = { a: 1, b: { c: [1, 3], d: 'x' }, f: { g: 1 }, h: { i: 2 } };
  assert.deepEqual(mergePatchOf(before, after), { b: { c: [1, 3] }, e: null, h: { i: 2 } });
});

test('equal objects need no patch, and an empty one is none', () => {
  assert.equal(mergePatchOf({ a: [{ b: 1 }] }, { a: [{ b: 1 }] }), undefined);
  assert.equal(mergePatchOf({}, { labels: {} }), undefined);
  assert.equal(mergePatchOf(undefined, {}), undefined);
});

test('the patch, applied as RFC 7396 says, gives the wanted object', () => {
  const leaf = fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer()));
  const object = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(leaf, fc.dictionary(fc.constantFrom('x', 'y'), leaf)),
  );
  fc.assert(
    fc.property(object, object, (before, after) => {
      const patched = apply(before, mergePatchOf(before, after) ?? {});
      assert.equal(mergePatchOf(patched, after), undefined);
    }),
  );
});

type Json = { readonly [member: string]: unknown };

/** RFC 7396 §2. */
function apply(target: unknown, patch: Json): Json {
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [member, value] of Object.entries(patch)) {
    if (value === null) delete result[member];
    else result[member] = isRecord(value) ? apply(result[member], value) : value;
  }
  return result;
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

test('members may be called like something that JavaScript objects inherit', () => {
  assert.deepEqual(mergePatchOf({ labels: {} }, { labels: { constructor: 'a' } }), { labels: { constructor: 'a' } });
  assert.deepEqual(mergePatchOf({ labels: { toString: 'a' } }, { labels: {} }), { labels: { toString: null } });
});

test('a number of 64 bits is a value, not an object', () => {
  const large = (digits: string) => parseExactJson(`{"a":${digits}}`) as object;
  const patch = mergePatchOf(large('9223372036854775807'), large('9223372036854775806'));
  assert.equal(JSON.stringify(patch), '{"a":9223372036854775806}');
  assert.equal(mergePatchOf(large('9223372036854775807'), large('9223372036854775807')), undefined);
});
