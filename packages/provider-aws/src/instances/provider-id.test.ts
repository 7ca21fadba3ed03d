import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInstanceId, instanceIdOf } from './provider-id.ts';
import { providerIdOf } from './node-claim-of.ts';

test('the provider id of an instance leads back to it', () => {
  assert.equal(instanceIdOf(providerIdOf({ zone: 'us-west-2a', id: 'i-1' })), 'i-1');
  assert.equal(instanceIdOf('kwok-aws:///us-west-2a/i-1'), 'i-1');
});

test('a provider id of another form names no instance', () => {
  for (const providerId of ['', 'i-1', 'kwok://node', 'aws:///i-1']) {
    assert.equal(findInstanceId(providerId), undefined);
    assert.throws(() => instanceIdOf(providerId), {
      message: `provider id does not match known format (provider-id=${providerId})`,
    });
  }
  assert.equal(findInstanceId(undefined), undefined);
});
