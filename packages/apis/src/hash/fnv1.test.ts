import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fnv1 } from './fnv1.ts';

/** The definition, in one line of BigInt. */
const plain = (bytes: Uint8Array) =>
  bytes.reduce((hash, byte) => BigInt.asUintN(64, hash * 0x100000001b3n) ^ BigInt(byte), 0xcbf29ce484222325n);

test('the hash in two halves is FNV-1 as defined', () => {
  assert.equal(fnv1(new Uint8Array()), 0xcbf29ce484222325n);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => assert.equal(fnv1(bytes), plain(bytes))));
});
