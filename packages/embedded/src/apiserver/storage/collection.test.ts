import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../object.ts';
import { Collection } from './collection.ts';
import { type Content, eventLine } from './entry.ts';

const content = (key: string, members: object = { key }): Content => {
  const object = { kind: 'Thing', apiVersion: 'v1', metadata: { name: key }, ...members } as KubeObject;
  return { key, object, labels: undefined, fields: undefined };
};
const keysOf = (entries: Iterable<{ readonly key: string }>): string[] => [...entries].map(({ key }) => key);

test('objects are listed in the order of their keys, from any key on and below any prefix', () => {
  const collection = new Collection(0);
  for (const [revision, key] of ['b/2', 'a/1', 'b/1', 'c/1', 'b/10'].entries()) {
    collection.put(content(key), revision + 1, 0);
  }
  assert.deepEqual(keysOf(collection.range('')), ['a/1', 'b/1', 'b/10', 'b/2', 'c/1']);
  assert.deepEqual(keysOf(collection.range('b/')), ['b/1', 'b/10', 'b/2']);
  assert.deepEqual(keysOf(collection.range('b/', 'b/1\0')), ['b/10', 'b/2']);
});

test("an object's bytes lie inside the line its watchers get", () => {
  const collection = new Collection(0);
  const entry = collection.put(content('a', { é: 1 }), 1, 0);
  const json = '{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a"},"é":1}';
  assert.equal(entry.json.toString(), json);
  assert.equal(entry.line.toString(), `{"type":"ADDED","object":${json}}\n`);
  assert.equal(entry.json.buffer, entry.line.buffer);
  assert.deepEqual(eventLine('ADDED', entry.json), entry.line);
  assert.equal(collection.log.at(0)?.state, entry);
});

test('of thousands of objects only the last are kept decoded, and all can be read', () => {
  const collection = new Collection(0);
  const keys = Array.from({ length: 10_000 }, (_, i) => `thing-${i}`);
  for (const [i, key] of keys.entries()) collection.put(content(key), i + 1, 0);
  const decoded = () => [...collection.range('')].filter(({ isDecoded }) => isDecoded).length;
  assert.equal(decoded(), 4_000);
  for (const key of keys) assert.equal(collection.find(key)?.object['key'], key);
  assert.ok(decoded() <= 4_000);
});

test('what has bytes stays decoded for a while only', () => {
  const collection = new Collection(0);
  const entry = collection.put(content('a'), 1, 0);
  assert.deepEqual(entry.object, JSON.parse(entry.json.toString()));
  for (let revision = 2; revision < 502; revision++) collection.put(content(`b-${revision}`), revision, 0);
  assert.ok(!entry.isDecoded);
  assert.equal(entry.object['key'], 'a');
});

test('however often and in whatever order objects are read, they are there', () => {
  const collection = new Collection(0);
  const keys = Array.from({ length: 4_500 }, (_, i) => `thing-${i}`);
  for (const [i, key] of keys.entries()) void collection.put(content(key), i + 1, 0).json;
  for (const step of [1, 7, 499, 500, 501, 3_999, 4_000, 4_001]) {
    for (let i = 0; i < 10_000; i++) {
      const key = keys[(i * step) % keys.length]!;
      assert.equal(collection.find(key)?.object?.['key'], key);
    }
  }
});

test('states that are over are not encoded, unless a watch may still ask for them', () => {
  const collection = new Collection(0);
  const longAgo = collection.put(content('a', { round: 0 }), 1, 0);
  for (let revision = 2; revision < 10_000; revision++) collection.put(content('a'), revision, revision * 100);
  assert.ok(longAgo.isDecoded && longAgo.revision <= collection.log.horizon);
  const stillKnown = new Collection(0);
  const first = stillKnown.put(content('a', { round: 0 }), 1, 0);
  for (let revision = 2; revision < 10_000; revision++) stillKnown.put(content('a'), revision, 0);
  assert.ok(!first.isDecoded && first.revision > stillKnown.log.horizon);
  assert.equal(first.object['round'], 0);
});

test('the state at any known revision is the one there was, whatever happened since', () => {
  const writes = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), remove: fc.boolean() }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(writes, (steps) => {
      const collection = new Collection(0);
      const states: string[][] = [[]];
      for (const [index, { key, remove }] of steps.entries()) {
        const revision = index + 1;
        if (!remove) collection.put(content(key, { revision }), revision, 0);
        else if (collection.find(key)) collection.remove(content(key), revision, 0);
        states.push([...collection.range('')].map(({ key: at, json }) => `${at}=${json.toString()}`));
      }
      for (const [revision, state] of states.entries()) {
        const past = [...collection.rangeAt(revision, '')].map(({ key, json }) => `${key}=${json.toString()}`);
        assert.deepEqual(past, state);
      }
    }),
  );
});
