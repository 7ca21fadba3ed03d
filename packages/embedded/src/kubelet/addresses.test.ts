import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressRange } from './addresses.ts';

test('addresses are handed out in turn, over the borders of bytes', () => {
  const range = new AddressRange('10.128.0.0/9');
  const addresses = Array.from({ length: 300 }, () => range.next());
  assert.deepEqual([addresses[0], addresses[254], addresses[255]], ['10.128.0.1', '10.128.0.255', '10.128.1.0']);
  assert.equal(new Set(addresses).size, 300);
});

test('a range that is used up begins again', () => {
  const range = new AddressRange('10.0.0.0/30');
  assert.deepEqual(
    Array.from({ length: 4 }, () => range.next()),
    ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.1'],
  );
});
