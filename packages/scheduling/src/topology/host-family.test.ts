import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { LabelSelectorSpec, Pod, PodSpec } from '@karpenter-ts/kubernetes';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';
import { BitSet } from '../model/interning/bit-set.ts';
import { makeNode, makePod } from '../testing/builders.ts';
import { fakeType } from '../testing/fake-types.ts';
import { outlineOf } from '../testing/plan-outline.ts';
import { away, podsWith, spreadOver } from '../testing/pod-parts.ts';
import { TestEnvironment } from '../testing/test-environment.ts';
import { HostDifference } from './host-difference.ts';
import { HostCounts } from './host-counts.ts';

const TENANTS = Array.from({ length: 24 }, (_, i) => `t${String(i).padStart(2, '0')}`);

/** All pods with a tenant but those of some, in two ways: one by which rules are a family, and one by which they are not. */
const WAYS = {
  family: (left: readonly string[]): LabelSelectorSpec => ({
    matchExpressions: [
      { key: 'tenant', operator: 'Exists' },
      { key: 'tenant', operator: 'NotIn', values: left },
    ],
  }),
  single: (left: readonly string[]): LabelSelectorSpec => ({
    matchExpressions: [{ key: 'tenant', operator: 'In', values: TENANTS.filter((one) => !left.includes(one)) }],
  }),
};

test('rules that leave out different values of a label are counted as one and mean what each means by itself', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const [family, single] = [WAYS.family, WAYS.single].map((way) => outlineOf(tenancy(seed, way)));
    assert.deepEqual(family, single, `seed ${seed}`);
  }
});

function tenancy(seed: number, selectorOf: (left: readonly string[]) => LabelSelectorSpec) {
  const random = seededRandom(seed);
  const kind = random.pick(['apart', 'spread', 'both']);
  const maxSkew = 1 + random.below(3);
  const podOf = (name: string, tenant: string | undefined): Pod => {
    const left = [tenant ?? 't00', ...(random.chance(0.2) ? [random.pick(TENANTS)] : [])];
    const selector = selectorOf([...new Set(left)]);
    const apart: PodSpec = { affinity: away(podsWith(HOSTNAME_LABEL, selector)) };
    const spread: PodSpec = {
      topologySpreadConstraints: [spreadOver(HOSTNAME_LABEL, { maxSkew, labelSelector: selector })],
    };
    const isApart = kind === 'apart' || (kind === 'both' && random.chance(0.5));
    return makePod(name, {
      labels: tenant === undefined ? {} : { tenant },
      requests: { cpu: random.pick(['100m', '700m']) },
      ...(isApart ? apart : spread),
    });
  };
  const someTenant = () => (random.chance(0.9) ? random.pick(TENANTS) : undefined);
  const nodes = Array.from({ length: random.below(12) }, (_, i) =>
    makeNode(`node-${i}`, {
      labels: { [ZONE_LABEL]: 'test-zone-1', [HOSTNAME_LABEL]: `node-${i}` },
      allocatable: { cpu: '2', pods: '8' },
      pods: Array.from({ length: random.below(3) }, (_, j) => podOf(`bound-${i}-${j}`, someTenant())),
    }),
  );
  const tenants = TENANTS.flatMap((tenant) => Array.from({ length: 1 + random.below(3) }, () => tenant));
  const pods = [...tenants, ...nobody(random)].map((tenant, i) => podOf(`pod-${i}`, tenant));
  const types = [2, 4].map((cpus) => fakeType(`cpu-${cpus}`, { resources: { cpu: String(cpus), pods: '10' } }));
  return new TestEnvironment({ types, nodes }).plan(...pods);
}

function nobody(random: Random): readonly undefined[] {
  return Array.from({ length: random.below(4) }, () => undefined);
}

test('a difference of counts says of every host what the whole has without the parts', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const maxSkew = 1 + random.below(3);
    const hosts = 1 + random.below(60);
    const whole = new HostCounts(maxSkew);
    const parts = Array.from({ length: random.below(3) }, () => new HostCounts(maxSkew));
    const counts = Array.from({ length: hosts }, () => 0);
    for (let i = random.below(150); i > 0; i--) {
      const host = random.below(hosts);
      const part = random.below(parts.length + 1);
      whole.add(host, 1);
      if (part < parts.length) parts[part]!.add(host, 1);
      else counts[host]!++;
    }
    const difference = new HostDifference(whole, parts);
    const all = Array.from({ length: hosts }, (_, host) => host);
    const within = all.filter(() => random.chance(0.7));
    const candidates = () => {
      const set = new BitSet(hosts);
      for (const host of within) set.add(host);
      return set;
    };
    assert.deepEqual(
      all.map((host) => difference.count(host)),
      counts,
    );
    assert.ok(counts.every((count) => count <= difference.highest));
    assert.deepEqual(
      [...difference.busy()].sort((a, b) => a - b),
      all.filter((host) => counts[host]! > 0),
    );
    const busy = candidates();
    const isAny = difference.keepBusy(busy);
    assert.deepEqual(
      [...busy],
      within.filter((host) => counts[host]! > 0),
    );
    assert.equal(isAny, !busy.isEmpty());
    for (const least of [1, maxSkew, maxSkew + 1]) {
      const open = candidates();
      const mayBeAny = difference.dropFrom(open, least);
      const expected = within.filter((host) => counts[host]! < least);
      assert.deepEqual([...open], expected);
      if (expected.length > 0) assert.ok(mayBeAny);
    }
  }
});
