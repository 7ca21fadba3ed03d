import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameStatus, omitEmpty } from './object-status.ts';

test('counters of zero are left out, but for those that are always there', () => {
  const status = omitEmpty({ replicas: 0, readyReplicas: 0, terminatingReplicas: 0, conditions: [] }, [
    'terminatingReplicas',
  ]);
  assert.deepEqual(status, { terminatingReplicas: 0 });
  assert.deepEqual(omitEmpty<{ count?: number }>({}, ['count']), {});
});

test('a status with and without its zeros is the same', () => {
  assert.ok(isSameStatus({ replicas: 0, observedGeneration: 1 }, { observedGeneration: 1 }));
  assert.ok(isSameStatus(undefined, { replicas: 0 }));
  assert.ok(!isSameStatus({ replicas: 1 }, { replicas: 2 }));
});
