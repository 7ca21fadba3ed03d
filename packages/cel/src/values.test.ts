import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, StructuralSchema } from '@karpenter-ts/kubernetes';
import { escapeProperty, unescapeProperty } from './escaping.ts';
import { asResource } from './resource-schema.ts';
import { Duration } from './runtime/duration.ts';
import { equal } from './runtime/equality.ts';
import type { CelList } from './runtime/list.ts';
import type { CelMap } from './runtime/map.ts';
import { Timestamp } from './runtime/timestamp.ts';
import { CelError, type CelResult } from './runtime/value.ts';
import { toCel } from './values.ts';

const member = (value: CelResult, key: string): CelResult | undefined => (value as CelMap).find(key);
const list = (type: 'atomic' | 'set' | 'map', items: StructuralSchema): StructuralSchema => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': type,
  ...(type === 'map' && { 'x-kubernetes-list-map-keys': ['key'] }),
});

test('the schema, not the JSON, decides between int and double', () => {
  assert.equal(toCel(1, { type: 'integer' }), 1n);
  assert.equal(toCel(1, { type: 'number' }), 1);
  assert.equal(toCel(1, { 'x-kubernetes-int-or-string': true }), 1n);
  assert.equal(toCel('10%', { 'x-kubernetes-int-or-string': true }), '10%');
});

test('a text with a format is what the format says', () => {
  const text = (format: string, value: string): CelResult => toCel(value, { type: 'string', format });
  assert.deepEqual(text('duration', '90s'), new Duration(90_000_000_000n));
  assert.deepEqual(text('duration', '1 day'), new Duration(86_400_000_000_000n));
  assert.deepEqual(text('date', '1970-01-02'), new Timestamp(86_400_000_000_000n));
  assert.deepEqual(text('date-time', '1970-01-01T01:00:00+01:00'), new Timestamp(0n, 60));
  assert.deepEqual(text('byte', 'YWJj'), new Uint8Array([97, 98, 99]));
  assert.equal(text('uuid', 'x'), 'x');
});

test('data that does not fit its schema is an error where it is read', () => {
  const object = toCel({ a: 'x' }, { type: 'object', properties: { a: { type: 'integer' } } });
  assert.deepEqual(member(object, 'a'), new CelError('invalid data, expected int, got string'));
  assert.deepEqual(
    toCel(null, { type: 'string' }),
    new CelError('invalid data, got null for schema with nullable=false'),
  );
  assert.equal(toCel(null, { type: 'string', nullable: true }), null);
});

test('properties are read by their escaped names, keys of a map as they are', () => {
  const object = toCel(
    { 'a-b': 1, namespace: 2 },
    {
      type: 'object',
      properties: { 'a-b': { type: 'integer' }, namespace: { type: 'integer' } },
    },
  );
  assert.equal(member(object, 'a__dash__b'), 1n);
  assert.equal(member(object, '__namespace__'), 2n);
  assert.deepEqual([...(object as CelMap).keys()], ['a__dash__b', '__namespace__']);
  const map = toCel({ 'a-b': 1 }, { type: 'object', additionalProperties: { type: 'integer' } });
  assert.equal(member(map, 'a-b'), 1n);
  assert.equal(member(map, 'a__dash__b'), undefined);
});

test('a property that is null, or that the schema does not know, is absent', () => {
  const schema: StructuralSchema = {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { a: { type: 'string', nullable: true } },
  };
  const object = toCel({ a: null, b: 1 }, schema);
  assert.equal(member(object, 'a'), undefined);
  assert.equal(member(object, 'b'), undefined);
  assert.equal((object as CelMap).size, 2);
});

test('names of the prototype are no members', () => {
  const map = toCel({}, { type: 'object', additionalProperties: { type: 'string' } });
  const object = toCel({}, { type: 'object', properties: { a: { type: 'string' } } });
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(member(map, name), undefined);
    assert.equal(member(object, name), undefined);
  }
});

test('an embedded resource has its name whether or not its schema says so', () => {
  const schema: StructuralSchema = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const object = toCel({ kind: 'Pod', metadata: { name: 'a', labels: {} } }, schema);
  assert.equal(member(object, 'kind'), 'Pod');
  assert.equal(member(member(object, 'metadata')!, 'name'), 'a');
  assert.equal(member(member(object, 'metadata')!, 'labels'), undefined);
});

test('a schema that describes its metadata already is a resource as it is', () => {
  const string: StructuralSchema = { type: 'string' };
  const metadata: StructuralSchema = {
    type: 'object',
    properties: { name: string, generateName: string, uid: string },
  };
  const schema: StructuralSchema = { type: 'object', properties: { kind: string, apiVersion: string, metadata } };
  assert.equal(asResource(schema), schema);
  assert.deepEqual(Object.keys(asResource({ type: 'object' }).properties!), ['kind', 'apiVersion', 'metadata']);
});

test('sets are equal in any order, and adding to one adds what is not there', () => {
  const strings = list('set', { type: 'string' });
  const set = toCel(['a', 'b'], strings) as CelList;
  assert.equal(equal(set, toCel(['b', 'a'], strings)), true);
  assert.equal(equal(set, toCel(['b', 'c'], strings)), false);
  assert.deepEqual([...set.add(toCel(['b', 'c'], strings) as CelList)], ['a', 'b', 'c']);
});

test('keyed lists are equal in any order, and adding to one replaces items of the same key', () => {
  const item: StructuralSchema = { type: 'object', properties: { key: { type: 'string' }, n: { type: 'integer' } } };
  const keyed = (...items: Json[]): CelList => toCel(items, list('map', item)) as CelList;
  const [a1, a2, b1] = [
    { key: 'a', n: 1 },
    { key: 'a', n: 2 },
    { key: 'b', n: 1 },
  ];
  assert.equal(equal(keyed(a1, b1), keyed(b1, a1)), true);
  assert.equal(equal(keyed(a1, b1), keyed(a2, b1)), false);
  assert.equal(equal(keyed(a1, b1).add(keyed(a2)), keyed(a2, b1)), true);
});

test('other lists are equal element by element only', () => {
  const integers = list('atomic', { type: 'integer' });
  assert.equal(equal(toCel([1, 2], integers), toCel([2, 1], integers)), false);
  assert.equal(equal(toCel([1, 2], integers), toCel([1, 2], integers)), true);
  assert.deepEqual(equal(toCel([1], integers), 1n), new CelError('no such overload'));
});

test('untyped data is compared as it is', () => {
  const schema: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  assert.equal(equal(toCel({ a: [1] }, schema), toCel({ a: [1] }, schema)), true);
  assert.equal(equal(toCel({ a: [1] }, schema), toCel({ a: [2] }, schema)), false);
});

test('an escaped name leads back to its property', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '_', '-', '.', '/'), minLength: 1 });
  const word = fc.constantFrom('in', 'namespace', 'true', 'for', '__', '__dot__', 'a__b');
  fc.assert(
    fc.property(fc.oneof(name, word), (property) => {
      const escaped = escapeProperty(property);
      if (/^\d/.test(property)) assert.equal(escaped, undefined);
      else if (/^\w+$/.test(escaped!)) assert.equal(unescapeProperty(escaped!), property);
      else assert.fail(`${escaped} is no identifier`);
    }),
  );
});

test('a name with an escape that does not exist stands for no property', () => {
  assert.equal(unescapeProperty('a__foo__b'), undefined);
  assert.equal(unescapeProperty('__constructor__'), undefined);
  assert.equal(unescapeProperty('a__in__'), undefined);
});
