import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prune } from './prune.ts';
import type { Json, StructuralSchema } from '@karpenter-ts/kubernetes';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        known: { type: 'string' },
        items: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
        open: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { closed: { type: 'object' } },
        },
      },
    },
  },
};

test('unknown fields go, and are named with their path in order of text', () => {
  const value = { spec: { known: 'x', z: 1, items: [{ a: 'b' }, { c: 1 }], map: { k: { a: 'x', q: 1 } } }, extra: {} };
  const pruned = prune(value, schema);
  assert.deepEqual(pruned.value, { spec: { known: 'x', items: [{ a: 'b' }, {}], map: { k: { a: 'x' } } } });
  assert.deepEqual(
    pruned.unknown.map(({ field }) => field),
    ['extra', 'spec.items[1].c', 'spec.map.k.q', 'spec.z'],
  );
});

test('apiVersion, kind and metadata stay, also when the schema does not name them', () => {
  const value = { apiVersion: 'a/v1', kind: 'A', metadata: { anything: 1 } };
  assert.deepEqual(prune(value, schema), { value, unknown: [] });
});

test('preserve-unknown-fields keeps what is unknown at its own level only', () => {
  const pruned = prune({ spec: { open: { a: { b: 1 }, closed: { c: 1 } } } }, schema);
  assert.deepEqual(pruned.value, { spec: { open: { a: { b: 1 }, closed: {} } } });
  assert.deepEqual(
    pruned.unknown.map(({ field }) => field),
    ['spec.open.closed.c'],
  );
});

test('a field is known only if the schema itself names it, whatever JavaScript objects inherit', () => {
  const names = ['constructor', 'hasOwnProperty', 'isPrototypeOf', 'toString', 'valueOf', '__proto__'];
  for (const name of names) {
    const pruned = prune({ spec: JSON.parse(`{"known":"x","${name}":"y"}`) as Json }, schema);
    assert.equal(JSON.stringify(pruned.value), '{"spec":{"known":"x"}}');
    assert.deepEqual(
      pruned.unknown.map(({ field }) => field),
      [`spec.${name}`],
    );
  }
});

test('a key of a map may be called as it likes', () => {
  const text = '{"spec":{"map":{"__proto__":{"a":"x"},"constructor":{"a":"y"}},"open":{"__proto__":1}}}';
  assert.equal(JSON.stringify(prune(JSON.parse(text) as Json, schema).value), text);
});
