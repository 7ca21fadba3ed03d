import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import fc from 'fast-check';
import { withoutNulls } from '../json-value.ts';
import { decodeProtobuf } from './decode.ts';

interface Golden {
  readonly protobuf: string;
  readonly json: JsonObject;
}

// Random objects of every kind, encoded with the serializers of k8s.io/apimachinery v0.35.4.
const GOLDEN = readFileSync(new URL('decode.golden.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Golden);

test('a body is the object its sender would have written in JSON', () => {
  assert.ok(GOLDEN.length >= 37);
  for (const { protobuf, json } of GOLDEN) {
    const decoded = decodeProtobuf(Buffer.from(protobuf, 'base64'));
    assert.deepEqual(withoutNulls(decoded), withoutNulls(json)); // Go writes null for what is empty
  }
});

test('a key that JavaScript gives a meaning is a key like any other', () => {
  const field = (number: number, content: string): string =>
    String.fromCharCode((number << 3) | 2, content.length) + content;
  const entry = field(1, '__proto__') + field(2, 'x');
  const body = `k8s\0${field(1, field(1, 'v1') + field(2, 'ConfigMap'))}${field(2, field(2, entry))}`;
  const decoded = decodeProtobuf(Buffer.from(body, 'latin1'));
  assert.equal(JSON.stringify(decoded), '{"apiVersion":"v1","kind":"ConfigMap","data":{"__proto__":"x"}}');
});

test('a kind without a protobuf form is told as such', () => {
  const envelope = Buffer.from('k8s\0\x0a\x15\x0a\x0fkarpenter.sh/v1\x12\x02NP', 'latin1');
  assert.throws(() => decodeProtobuf(envelope), {
    name: 'UnknownKindError',
    message: 'no protobuf of karpenter.sh/v1 NP',
  });
});

test('what is not protobuf is refused, wherever it breaks', () => {
  assert.throws(() => decodeProtobuf(Buffer.from('{"kind":"Pod"}')), { name: 'WireError' });
  const bodies = GOLDEN.map(({ protobuf }) => Buffer.from(protobuf, 'base64'));
  fc.assert(
    fc.property(fc.constantFrom(...bodies), fc.nat(), fc.nat({ max: 255 }), (body, at, byte) => {
      const broken = Buffer.from(body);
      broken[at % broken.length] = byte;
      try {
        decodeProtobuf(broken.subarray(0, broken.length - (at % 3)));
      } catch (error) {
        const { name } = error as Error;
        assert.ok(['WireError', 'UnknownKindError', 'SyntaxError', 'RangeError'].includes(name), name);
      }
    }),
    { numRuns: 500 },
  );
});
