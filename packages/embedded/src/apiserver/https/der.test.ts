import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bits, der, instant, objectId, unsigned } from './der.ts';

const hex = (value: Buffer): string => value.toString('hex');

test('lengths grow with the content', () => {
  assert.equal(hex(der(4, Buffer.alloc(127))).slice(0, 4), '047f');
  assert.equal(hex(der(4, Buffer.alloc(128))).slice(0, 6), '048180');
  assert.equal(hex(der(4, Buffer.alloc(300))).slice(0, 8), '0482012c');
});

test('numbers have no needless zeros, but one that keeps them from being negative', () => {
  assert.equal(hex(unsigned(Buffer.of(0))), '020100');
  assert.equal(hex(unsigned(Buffer.of(0, 0, 5))), '020105');
  assert.equal(hex(unsigned(Buffer.of(0x80))), '02020080');
});

test('names pack their numbers into seven bits a byte', () => {
  assert.equal(hex(objectId('2.5.29.19')), '0603551d13');
  assert.equal(hex(objectId('1.2.840.10045.4.3.2')), '06082a8648ce3d040302');
});

test('instants from 2050 on have four digits for the year', () => {
  assert.equal(instant(Date.UTC(2026, 10, 16, 1, 2, 3)).toString('latin1', 2), '261116010203Z');
  assert.equal(instant(Date.UTC(2050, 0, 1)).toString('latin1', 2), '20500101000000Z');
});

test('bits tell how many of them are not used', () => {
  assert.equal(hex(bits(Buffer.of(0x80), 7)), '03020780');
});
