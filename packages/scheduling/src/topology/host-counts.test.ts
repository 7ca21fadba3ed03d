import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitSet } from '../model/interning/bit-set.ts';
import { HostGroup } from './host-group.ts';
import { HostCounts } from './host-counts.ts';
import type { TopologyRule } from './rule.ts';

const HOSTS = 100; // more than are listed one by one, and more than a copy changes without counts of its own

/** All that host counts say, and the same said by plain counts. */
function compare(tally: HostCounts, counts: readonly number[], maxSkew: number, within: readonly number[]): void {
  const members = (predicate: (count: number) => boolean) =>
    within.filter((host) => predicate(counts[host]!)).sort((a, b) => a - b);
  const left = (restrict: (hosts: BitSet) => boolean) => {
    const hosts = new BitSet();
    for (const host of within) hosts.add(host);
    const isAnyLeft = restrict(hosts);
    if (!hosts.isEmpty()) assert.ok(isAnyLeft);
    return [...hosts];
  };
  assert.deepEqual(
    counts.map((_, host) => tally.count(host)),
    counts,
  );
  assert.deepEqual(
    [...tally.busy()].sort((a, b) => a - b),
    counts.flatMap((count, host) => (count > 0 ? [host] : [])),
  );
  assert.deepEqual(
    left((hosts) => tally.keepBusy(hosts)),
    members((count) => count > 0),
  );
  for (const least of [1, maxSkew, maxSkew + 1]) {
    assert.deepEqual(
      left((hosts) => tally.dropFrom(hosts, least)),
      members((count) => count < least),
    );
  }
}

test('host counts say what plain counts say as pods come and go, on few hosts and on many, and so does its copy', () => {
  const changes = fc.array(fc.tuple(fc.nat({ max: HOSTS - 1 }), fc.boolean()), { maxLength: 250, size: 'max' });
  const within = fc.uniqueArray(fc.nat({ max: HOSTS - 1 }));
  fc.assert(
    fc.property(changes, changes, fc.integer({ min: 1, max: 3 }), within, (before, after, maxSkew, within) => {
      const tally = new HostCounts(maxSkew);
      const counts = Array.from({ length: HOSTS }, () => 0);
      const apply = (some: typeof before, to: HostCounts, plain: number[]) => {
        for (const [host, isAdded] of some) {
          if (!isAdded && plain[host] === 0) continue;
          to.add(host, isAdded ? 1 : -1);
          plain[host]! += isAdded ? 1 : -1;
        }
      };
      apply(before, tally, counts);
      const [copy, copied] = [tally.clone(), [...counts]];
      apply(after, copy, copied);
      compare(tally, counts, maxSkew, within);
      compare(copy, copied, maxSkew, within);
    }),
  );
});

test('a rule asks nothing of a host as long as no host has as many pods as it forbids', () => {
  const names = { nameOf: String };
  const groupOf = (kind: string, maxSkew: number) =>
    new HostGroup({ kind, maxSkew } as unknown as TopologyRule, new HostCounts(maxSkew), new HostCounts(maxSkew));
  const asks = (group: HostGroup) => group.bounds(undefined, true, names, names) !== undefined;
  const antiAffine = groupOf('anti-affinity', Number.POSITIVE_INFINITY);
  assert.ok(!asks(antiAffine));
  antiAffine.add(3, true);
  assert.ok(asks(antiAffine));
  const spread = groupOf('spread', 2);
  for (const host of [0, 1, 2]) spread.add(host, false);
  assert.ok(!asks(spread));
  spread.add(1, false);
  assert.ok(asks(spread));
  assert.ok(asks(groupOf('spread', 0))); // which no host meets
});
