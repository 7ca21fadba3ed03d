import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { CelError } from '../runtime/value.ts';
import { formatIp, type IpAddress, parseIp } from './ip-address.ts';

test('the canonical text of an address reads back as the address', () => {
  const v4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((bits): IpAddress => ({ family: 4, bits }));
  const groups = fc.array(fc.constantFrom<bigint[]>(0n, 0n, 1n, 0xffffn, 0xabcn), { minLength: 8, maxLength: 8 });
  const v6 = groups.map(
    (parts): IpAddress => ({ family: 6, bits: parts.reduce((bits, part) => (bits << 16n) | part) }),
  );
  fc.assert(fc.property(fc.oneof(v4, v6), (address) => assert.deepEqual(parseIp(formatIp(address)), address)));
});

test('texts that are almost addresses are told apart as Node tells them', () => {
  const almost = fc.array(fc.constantFrom('1', '255', '0', ':', '::', '.', 'f', 'abcd'), { maxLength: 12 });
  fc.assert(
    fc.property(almost, (parts) => {
      const text = parts.join('');
      assert.equal(!(parseIp(text) instanceof CelError), isIP(text) !== 0, text);
    }),
    { numRuns: 2000 },
  );
});

test('the first of the longest runs of zeros is left out', () => {
  const canonical = (text: string): string => formatIp(parseIp(text) as IpAddress);
  assert.equal(canonical('2001:DB8:0:0:1:0:0:1'), '2001:db8::1:0:0:1');
  assert.equal(canonical('1:0:0:2:0:0:0:3'), '1:0:0:2::3');
  assert.equal(canonical('1:0:2:3:4:5:6:7'), '1:0:2:3:4:5:6:7');
  assert.equal(canonical('0:0:0:0:0:0:0:0'), '::');
});
