// How much work a plan is, counted and not timed: twice the pods are about twice the work, whatever ties them together.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { Acceptance } from './packing/new-nodes/acceptance.ts';
import { Packer } from './packing/packer.ts';
import { makePod, makePool } from './testing/builders.ts';
import { away, near, onNodes, podsWith, spreadOver } from './testing/pod-parts.ts';
import { TestEnvironment } from './testing/test-environment.ts';
import { HostCounts } from './topology/host-counts.ts';

/** How often a method is called while something is done. */
function count<T, K extends keyof T>(t: TestContext, owner: { prototype: T }, method: K, work: () => void): number {
  const { mock } = t.mock.method(owner.prototype as Record<K, (...args: never[]) => unknown>, method as never);
  work();
  const calls = mock.callCount();
  mock.restore();
  return calls;
}

/** Pods of which each wants to be where the next one is; the largest, which comes first, is the last to know where. */
function chain(topologyKey: string, length: number): readonly Pod[] {
  return Array.from({ length }, (_, i) =>
    makePod(`p-${i}`, {
      labels: { app: `app-${i}` },
      requests: { cpu: `${length - i}m` },
      affinity: near(podsWith(topologyKey, { app: `app-${Math.min(i + 1, length - 1)}` })),
    }),
  );
}

for (const [name, key] of [
  ['zones', ZONE_LABEL],
  ['hosts', HOSTNAME_LABEL],
] as const) {
  test(`pods that follow each other to ${name} in a chain are tried as often as there are links`, (t) => {
    const environment = new TestEnvironment();
    const attempts = (length: number) => count(t, Packer, 'place', () => void environment.plan(...chain(key, length)));
    assert.ok(attempts(200) <= 2 * 200, `${attempts(200)} attempts`);
  });
}

test('pods no node can ever hold are not tried again for every pod that is placed', (t) => {
  const tooLarge = Array.from({ length: 100 }, (_, i) => makePod(`large-${i}`, { requests: { cpu: `${i + 900}` } }));
  const attempts = count(
    t,
    Packer,
    'place',
    () => void new TestEnvironment().plan(...chain(ZONE_LABEL, 100), ...tooLarge),
  );
  assert.ok(attempts <= 2 * 200, `${attempts} attempts`);
});

for (const [what, affinityOf] of [
  ['a value', (i: number) => onNodes([{ key: 'team', operator: 'In', values: [`team-${i}`] }])],
  [
    'a range',
    (i: number) =>
      onNodes([
        { key: 'team', operator: 'Gt', values: [String(2 * i)] },
        { key: 'team', operator: 'Lt', values: [String(2 * i + 2)] },
      ]),
  ],
] as const) {
  test(`pods that each ask for ${what} of a label of their own are not laid beside every node`, (t) => {
    const environment = new TestEnvironment({
      pools: [makePool('default', { requirements: [{ key: 'team', operator: 'Exists' }] })],
    });
    const pods = Array.from({ length: 200 }, (_, i) => makePod(`p-${i}`, { affinity: affinityOf(i) }));
    let nodes = 0;
    const checks = count(t, Acceptance, 'check', () => {
      nodes = environment.plan(...pods).newNodes.length;
    });
    assert.equal(nodes, 200);
    assert.equal(checks, 200);
  });
}

/** Of so many tenants, each selects the pods of all others. */
const others = (tenant: string) => ({ matchExpressions: [{ key: 'tenant', operator: 'NotIn', values: [tenant] }] });
for (const [what, rulesOf] of [
  ['keep away from', (tenant: string) => ({ affinity: away(podsWith(HOSTNAME_LABEL, others(tenant))) })],
  [
    'spread among',
    (tenant: string) => ({
      topologySpreadConstraints: [spreadOver(HOSTNAME_LABEL, { maxSkew: 3, labelSelector: others(tenant) })],
    }),
  ],
] as const) {
  test(`pods that ${what} all but their own are not counted for every rule of that kind`, (t) => {
    const pods = Array.from({ length: 300 }, (_, i) =>
      makePod(`p-${i}`, { labels: { tenant: `t-${i}` }, ...rulesOf(`t-${i}`) }),
    );
    const counted = count(t, HostCounts, 'add', () => void new TestEnvironment().plan(...pods));
    assert.ok(counted <= 6 * 300, `${counted} counts`);
  });
}
