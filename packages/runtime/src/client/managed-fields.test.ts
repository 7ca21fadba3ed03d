import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutManagedFields } from './managed-fields.ts';

const cut = (event: unknown): unknown => JSON.parse(withoutManagedFields(JSON.stringify(event)));

/** Values with all that makes scanning hard: quotes, backslashes, brackets, and the name itself. */
const nasty = fc.jsonValue({
  maxDepth: 3,
  stringUnit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', 'é'),
});
const named = fc.dictionary(fc.constantFrom('name', 'labels', 'managedFields', 'metadata', 'a"b', 'c\\'), nasty);

test('exactly the metadata’s managed fields are cut, whatever stands around them', () => {
  const event = fc.record({
    type: fc.constant('ADDED'),
    before: nasty,
    object: fc.record({ kind: nasty, metadata: named, spec: named }),
  });
  fc.assert(
    fc.property(event, (event) => {
      const { managedFields: _, ...metadata } = event.object.metadata;
      const expected: unknown = { ...event, object: { ...event.object, metadata } };
      assert.deepEqual(cut(event), JSON.parse(JSON.stringify(expected)));
    }),
  );
});

test('first, last or only member: the commas come out right', () => {
  const fields = [{ manager: 'x', fieldsV1: { 'k:{"name":"a"}': {} } }];
  for (const metadata of [
    { managedFields: fields },
    { managedFields: fields, a: 1 },
    { a: 1, managedFields: fields },
  ]) {
    const { managedFields: _, ...rest } = metadata;
    assert.deepEqual(cut({ object: { metadata } }), { object: { metadata: rest } });
  }
});

for (const line of [
  '{ "object": {} }',
  '{"object":{"metadata":{"managedFields"',
  '{"object":[]}',
  '',
  'null',
  '{"type":"ERROR","object":{"code":410}}',
]) {
  test(`what is not such an event comes back as it is: ${line}`, () => {
    assert.equal(withoutManagedFields(line), line);
  });
}
