import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truncateLaunchMessage } from './launch-message.ts';

test('01/51 a launch error is cut after 300 bytes', () => {
  assert.equal(truncateLaunchMessage('x'.repeat(1000)), `${'x'.repeat(300)}...`);
  assert.equal(truncateLaunchMessage('x'.repeat(300)), `${'x'.repeat(300)}...`);
  assert.equal(truncateLaunchMessage('x'.repeat(299)), 'x'.repeat(299));
  assert.equal(truncateLaunchMessage(`${'x'.repeat(299)}é`), `${'x'.repeat(299)}...`);
});
