import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostTally } from './host-tally.ts';

const states = ({ busy, full, overfull }: HostTally, host: number) =>
  [busy, full, overfull].map((set) => set.has(host));

test('hosts are busy, full and overfull as pods come and go, also hosts that came up later', () => {
  const tally = new HostTally(2, 1);
  const seen = ([1, 1, 1, -1, -1, -1] as const).map((change) => {
    tally.add(5, change);
    return [tally.count(5), ...states(tally, 5)];
  });
  assert.deepEqual(seen, [
    [1, true, false, false],
    [2, true, true, false],
    [3, true, true, true],
    [2, true, true, false],
    [1, true, false, false],
    [0, false, false, false],
  ]);
  assert.deepEqual([tally.count(4), tally.count(99)], [0, 0]);
});

test('a copy has the counts, and goes on by itself', () => {
  const tally = new HostTally(1, 3);
  tally.add(1, 1);
  tally.add(2, 1);
  const copy = tally.clone();
  copy.add(1, 1);
  copy.add(2, -1);
  assert.deepEqual([copy.count(1), ...states(copy, 1)], [2, true, true, true]);
  assert.deepEqual([copy.count(2), ...states(copy, 2)], [0, false, false, false]);
  assert.deepEqual([tally.count(1), ...states(tally, 1)], [1, true, true, false]);
  assert.deepEqual([tally.count(2), ...states(tally, 2)], [1, true, true, false]);
});
