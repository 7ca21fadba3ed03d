import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, VirtualClock } from '@karpenter-ts/runtime';
import { roomiestSubnets, SubnetAddressBook } from './subnet-address-book.ts';

function environment() {
  const clock = new VirtualClock();
  return { clock, book: new SubnetAddressBook(clock, 5 * MINUTE) };
}

test('addresses that launches will take are not free', () => {
  const { book } = environment();
  book.listed('subnet-1', 10);
  book.take('subnet-1', 4);
  book.take('subnet-1', 4);
  assert.equal(book.free('subnet-1'), 2);
  book.take('subnet-1', 4);
  assert.equal(book.free('subnet-1'), -2);
});

test('07/66 what a launch did not use is given back', () => {
  const { book } = environment();
  book.listed('subnet-1', 10);
  const giveBack = book.take('subnet-1', 4);
  book.take('subnet-1', 1);
  giveBack();
  assert.equal(book.free('subnet-1'), 9);
});

test('what EC2 tells counts launches in, so nothing is given back after it, be it the same number', () => {
  const { book } = environment();
  book.listed('subnet-1', 10);
  const giveBack = book.take('subnet-1', 4);
  book.listed('subnet-1', 10);
  book.take('subnet-1', 1);
  giveBack();
  assert.equal(book.free('subnet-1'), 9);
});

test('what EC2 said is believed for a while, what launches took until it says more', async () => {
  const { clock, book } = environment();
  book.listed('subnet-1', 10);
  book.listed('subnet-2', 10);
  const giveBack = book.take('subnet-2', 3);
  await clock.advance(5 * MINUTE);
  assert.equal(book.free('subnet-1'), 0);
  assert.equal(book.free('subnet-2'), 7);
  giveBack();
  assert.equal(book.free('subnet-2'), 10);
});

test('nothing is known of a subnet that EC2 has not told of, and launches take from that', () => {
  const { book } = environment();
  assert.equal(book.free('subnet-1'), 0);
  const giveBack = book.take('subnet-1', 3);
  assert.equal(book.free('subnet-1'), -3);
  giveBack();
  assert.equal(book.free('subnet-1'), 0);
});

test('a subnet that EC2 says is exhausted has nothing left, whatever launches took', () => {
  const { book } = environment();
  book.listed('subnet-1', 10);
  const giveBack = book.take('subnet-1', 3);
  book.exhausted('subnet-1');
  giveBack();
  assert.equal(book.free('subnet-1'), 0);
});

test('the subnet with the most free addresses is chosen in each zone, of equal ones the first', () => {
  const { book } = environment();
  const subnets = [
    { id: 'subnet-1', zone: 'a' },
    { id: 'subnet-2', zone: 'b' },
    { id: 'subnet-3', zone: 'a' },
    { id: 'subnet-4', zone: 'b' },
    { id: 'subnet-5', zone: 'c' },
  ];
  for (const [id, free] of [
    ['subnet-1', 5],
    ['subnet-3', 6],
    ['subnet-2', 7],
    ['subnet-4', 7],
  ] as const) {
    book.listed(id, free);
  }
  const ids = () => [...roomiestSubnets(subnets, book)].map(([zone, { id }]) => `${zone}: ${id}`);
  assert.deepEqual(ids(), ['a: subnet-3', 'b: subnet-2', 'c: subnet-5']);
  book.take('subnet-3', 1);
  assert.deepEqual(ids(), ['a: subnet-1', 'b: subnet-2', 'c: subnet-5']);
});
