import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Collection, type Content, eventLine } from './collection.ts';

const content = (key: string, json = `"${key}"`): Content => ({ key, json, labels: undefined, fields: undefined });
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
  const entry = collection.put(content('a', '{"é":1}'), 1, 0);
  const change = collection.log.at(0)!;
  assert.equal(entry.json.toString(), '{"é":1}');
  assert.equal(change.line.toString(), '{"type":"ADDED","object":{"é":1}}\n');
  assert.equal(entry.json.buffer, change.line.buffer);
  assert.deepEqual(eventLine('ADDED', entry.json), change.line);
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
        if (!remove) collection.put(content(key, String(revision)), revision, 0);
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
