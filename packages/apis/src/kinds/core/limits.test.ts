import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findExceededLimit, formatExceededLimit } from './limits.ts';

test('a limit is exceeded only by more than it, and only by what is limited', () => {
  assert.equal(findExceededLimit({ cpu: 10 }, { cpu: '10', memory: '1Ti' }), undefined);
  const exceeded = findExceededLimit(
    { nodes: '2', cpu: '1', memory: '1Gi' },
    { cpu: '1500m', memory: '2Gi', nodes: 3 },
  );
  assert.equal(
    formatExceededLimit(exceeded!),
    'resource usage exceeds limit (limit=1, resource-name=cpu, usage=1.500)',
  );
  assert.equal(
    formatExceededLimit(findExceededLimit({ memory: '1Gi' }, { memory: '2Gi' })!),
    'resource usage exceeds limit (limit=1073741824, resource-name=memory, usage=2147483648)',
  );
});

test('a resource may be called like something that JavaScript objects inherit', () => {
  assert.equal(findExceededLimit({}, { constructor: '1', toString: '2' }), undefined);
});
