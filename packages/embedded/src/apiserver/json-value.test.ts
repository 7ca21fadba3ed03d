import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@karpenter-ts/kubernetes';
import fc from 'fast-check';
import { asJson } from './json-value.ts';

/** Values as programs have them: JSON, but for members that are undefined. */
const loose = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), fc.oneof(tie('value'), fc.constant(undefined)), { maxKeys: 4 }),
  ),
})).value;

test('a value is what its JSON would tell', () => {
  fc.assert(
    fc.property(loose, (value) => {
      assert.deepEqual(JSON.stringify(asJson(value as Json)), JSON.stringify(value));
      assert.ok(!hasUndefined(asJson(value as Json)));
    }),
  );
});

test('what needs no change is not copied', () => {
  const kept = { a: [{ b: 1 }] };
  const value = { kept, gone: undefined } as unknown as Json;
  assert.equal(asJson(kept), kept);
  assert.equal((asJson(value) as typeof value & { kept: object }).kept, kept);
});

function hasUndefined(value: unknown): boolean {
  if (value === undefined) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUndefined);
}
