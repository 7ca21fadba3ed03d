import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropManagedFields, keepFields } from './transform.ts';

test('managed fields go, everything else stays', () => {
  const object = { metadata: { name: 'a', managedFields: [{}], labels: {} }, spec: { x: 1 } };
  assert.deepEqual(dropManagedFields(object), { metadata: { name: 'a', labels: {} }, spec: { x: 1 } });
  const without = { metadata: { name: 'a' } };
  assert.equal(dropManagedFields(without), without);
});

test('only the selected fields are kept, through lists, and none is made up', () => {
  const keep = keepFields<object>({
    metadata: { name: true, labels: true },
    spec: { containers: { name: true, resources: true }, nodeName: true },
  });
  assert.deepEqual(
    keep({
      metadata: { name: 'a', uid: 'u' },
      spec: {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'd', resources: { limits: {} } },
        ],
        volumes: [],
        nodeName: null,
      },
      status: {},
    }),
    {
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c' }, { name: 'd', resources: { limits: {} } }], nodeName: null },
    },
  );
});
