import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readBase64, readMicroTime, readQuantity, readTime } from './leaf-values.ts';

test('times are kept in UTC, to the second', () => {
  assert.equal(readTime('2026-01-02T03:04:05.678+02:00'), '2026-01-02T01:04:05Z');
  assert.throws(() => readTime('today'), {
    message: 'parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"',
  });
});

test('times of leases have six digits after the second, no fewer', () => {
  assert.equal(readMicroTime('2026-01-02T03:04:05.123456Z'), '2026-01-02T03:04:05.123456Z');
  assert.throws(() => readMicroTime('2026-01-02T03:04:05Z'), { message: /cannot parse "Z" as "\.000000"$/ });
});

test('times as the server writes them stay as they are, on every day', () => {
  const instants = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(instants, fc.nat({ max: 999_999 }), (instant, micros) => {
      const seconds = instant.toISOString().slice(0, 19);
      const fraction = String(micros).padStart(6, '0');
      assert.equal(readTime(`${seconds}Z`), `${seconds}Z`);
      assert.equal(readTime(`${seconds}.${fraction}Z`), `${seconds}Z`);
      assert.equal(readMicroTime(`${seconds}.${fraction}Z`), `${seconds}.${fraction}Z`);
    }),
  );
});

test('quantities are kept in their shortest form', () => {
  assert.deepEqual([readQuantity('0.5'), readQuantity(2), readQuantity('1024Mi')], ['500m', '2', '1Gi']);
  assert.throws(() => readQuantity(true), { message: /^quantities must match the regular expression/ });
});

test('base64 may be broken into lines, and must be whole', () => {
  assert.equal(readBase64('YW\nI='), 'YWI=');
  assert.throws(() => readBase64('??'), { message: 'illegal base64 data at input byte 0' });
  assert.throws(() => readBase64('YWI'), { message: 'illegal base64 data at input byte 0' });
});
