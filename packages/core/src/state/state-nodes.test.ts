import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  type ResourceList,
  ZERO_QUANTITY,
} from '@karpenter-ts/kubernetes';
import { INITIALIZED_LABEL, INSTANCE_TYPE_LABEL, NODEPOOL_LABEL, REGISTERED_LABEL } from '@karpenter-ts/apis';
import fc from 'fast-check';
import { conditionOf, launchedClaim, plainNode, readyNode, runningPod } from '../testing/cluster-objects.ts';
import { Machines } from './state-nodes.ts';

const empty = () => new Machines({ podsOn: () => [], volumeLimitsOf: () => ({}) });

test('02/19 03/154 a node nobody manages goes by its name until it has an id, and stays one', () => {
  const machines = empty();
  machines.putNode(plainNode('a'));
  assert.equal(machines.find('a')?.existing.name, 'a');
  machines.putNode(plainNode('a', { providerId: 'cloud:///1' }));
  assert.equal(machines.size, 1);
  assert.equal(machines.find('a'), undefined);
  assert.equal(machines.find('cloud:///1')?.existing.name, 'a');
});

test('02/20 a node of a pool is not known before its type is, unless it is initialised', () => {
  const machines = empty();
  const labels = { [NODEPOOL_LABEL]: 'default' };
  machines.putNode(plainNode('a', { labels, providerId: 'cloud:///1' }));
  assert.equal(machines.size, 0);
  assert.equal(machines.areAllIdentified, false);
  machines.putNode(plainNode('a', { labels: { ...labels, [INSTANCE_TYPE_LABEL]: 't' }, providerId: 'cloud:///1' }));
  assert.equal(machines.size, 1);
  assert.equal(machines.areAllIdentified, true);
  machines.putNode(plainNode('b', { labels: { ...labels, [INITIALIZED_LABEL]: 'true' }, providerId: 'cloud:///2' }));
  assert.equal(machines.size, 2);
});

test('a node once known stays known, whatever labels it loses', () => {
  const machines = empty();
  machines.putNode(readyNode('a'));
  machines.putNode(readyNode('a', { labels: { [INSTANCE_TYPE_LABEL]: '', [INITIALIZED_LABEL]: '' } }));
  assert.equal(machines.areAllIdentified, true);
  assert.equal(machines.find('fake:///a')?.existing.initialized, true);
});

test('a node of a pool waits for its id, and one that goes meanwhile is waited for no longer', () => {
  const machines = empty();
  machines.putNode(plainNode('a', { labels: { [NODEPOOL_LABEL]: 'default', [INSTANCE_TYPE_LABEL]: 't' } }));
  assert.equal(machines.areAllIdentified, false);
  machines.removeNode('a');
  assert.equal(machines.areAllIdentified, true);
});

test('what is deleted is not waited for, and is again when a namesake comes', () => {
  const machines = empty();
  const claim = launchedClaim('c', { providerId: '' });
  const node = plainNode('n', { labels: { [NODEPOOL_LABEL]: 'default' } });
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  for (let i = 0; i < 2; i++) {
    machines.putNodeClaim(claim);
    machines.putNode(node);
    assert.deepEqual([machines.areAllLaunched, machines.areAllIdentified], [false, false]);
    machines.putNodeClaim({ ...claim, metadata: { ...claim.metadata, deletionTimestamp } });
    machines.putNode({ ...node, metadata: { ...node.metadata, deletionTimestamp } });
    assert.deepEqual([machines.areAllLaunched, machines.areAllIdentified], [true, true]);
  }
  // A launch that was under way when it was deleted: the machine is known, and leaves.
  const metadata = { ...claim.metadata, deletionTimestamp };
  machines.putNodeClaim({ ...claim, metadata, status: { providerID: 'fake:///c' } });
  assert.equal(machines.find('fake:///c')?.isLeaving, true);
});

test('02/137 03/108 a machine is there as long as one half of it is, and then gone', () => {
  const machines = empty();
  machines.putNodeClaim(launchedClaim('a'));
  machines.putNode({ ...readyNode('a'), metadata: { ...readyNode('a').metadata, name: 'a' } });
  assert.equal(machines.size, 1);
  machines.removeNodeClaim('a');
  assert.equal(machines.size, 1);
  assert.equal(machines.find('fake:///a')?.nodeClaim, undefined);
  machines.removeNode('a');
  assert.equal(machines.size, 0);
});

test('02/17 a claim is unlaunched until it has an id or is gone', () => {
  const machines = empty();
  machines.putNodeClaim(launchedClaim('a', { providerId: '' }));
  machines.putNodeClaim(launchedClaim('b', { providerId: '' }));
  assert.equal(machines.size, 0);
  machines.putNodeClaim(launchedClaim('a'));
  assert.equal(machines.areAllLaunched, false);
  machines.removeNodeClaim('b');
  assert.equal(machines.areAllLaunched, true);
  assert.equal(machines.size, 1);
});

test('02/139 03/99 until it is initialised a machine holds what its claim promises, then what its kubelet says', () => {
  const machines = empty();
  const usage = () => machines.usage.of('default');
  machines.putNodeClaim(launchedClaim('a', { capacity: { cpu: '4', gpu: '1' } }));
  assert.deepEqual(usage(), { cpu: '4', gpu: '1', nodes: '1' });
  const starting = { ...readyNode('a', { capacity: { cpu: '3', gpu: '0' } }) };
  machines.putNode({
    ...starting,
    metadata: { ...starting.metadata, labels: { ...starting.metadata.labels, [INITIALIZED_LABEL]: '' } },
  });
  assert.deepEqual(usage(), { cpu: '3', gpu: '1', nodes: '1' });
  machines.putNode(starting);
  assert.deepEqual(usage(), { cpu: '3', gpu: '0', nodes: '1' });
});

test('02/139 03/154 what a machine holds moves with its pool, its id and its halves, and counts once', () => {
  const machines = empty();
  machines.putNodeClaim(launchedClaim('a'));
  machines.putNode(readyNode('a'));
  const held = { cpu: '4', memory: '8Gi', pods: '10', nodes: '1' };
  assert.deepEqual(machines.usage.of('default'), held);
  machines.putNode(readyNode('a', { pool: 'other' }));
  assert.deepEqual([machines.usage.of('default'), machines.usage.of('other')], [{}, held]);
  machines.putNode(readyNode('a', { pool: 'other', providerId: 'fake:///b' }));
  assert.deepEqual([machines.usage.of('default'), machines.usage.of('other')], [held, held]); // two machines now
  machines.removeNodeClaim('a');
  assert.deepEqual([machines.usage.of('default'), machines.usage.of('other')], [{}, held]);
  machines.removeNode('node-of-a');
  assert.deepEqual(machines.usage.of('other'), {});
});

test('02/25 03/98 03/155 a mark takes a machine out of its pool once, and gives it back', () => {
  const machines = empty();
  machines.putNodeClaim(launchedClaim('a'));
  machines.putNodeClaim(launchedClaim('b'));
  const count = () => machines.usage.of('default')['nodes'];
  machines.mark('fake:///a', true);
  machines.mark('fake:///a', true);
  assert.equal(count(), '1');
  assert.equal(machines.find('fake:///a')?.isLeaving, true);
  machines.mark('fake:///a', false);
  assert.equal(count(), '2');
  machines.mark('fake:///a', true);
  const claim = launchedClaim('a');
  machines.putNodeClaim({ ...claim, metadata: { ...claim.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  machines.removeNodeClaim('a');
  assert.equal(count(), '1');
});

test('a machine leaves with its claim, or when its instance does; a node alone when it is deleted', () => {
  const machines = empty();
  const leaves = (providerId: string) => machines.find(providerId)?.isLeaving;
  const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const claim = launchedClaim('a');
  machines.putNodeClaim(claim);
  machines.putNode({ ...readyNode('a'), metadata: { ...readyNode('a').metadata, ...deleted } });
  assert.equal(leaves('fake:///a'), false); // the claim will follow: until then it speaks
  machines.putNodeClaim({ ...claim, status: { ...claim.status, conditions: [conditionOf('InstanceTerminating')] } });
  assert.equal(leaves('fake:///a'), true);
  machines.putNode({ ...plainNode('b'), metadata: { name: 'b', ...deleted } });
  assert.equal(leaves('b'), true);
});

test('03/107 taints a starting node is about to lose are invisible until it is initialised', () => {
  const machines = empty();
  const taints = [
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    { key: 'example.com/startup', effect: 'NoSchedule' },
    { key: 'example.com/mine', effect: 'NoSchedule' },
  ] as const;
  const claim = launchedClaim('a');
  machines.putNodeClaim({ ...claim, spec: { ...claim.spec, startupTaints: [taints[1]] } });
  const visible = () => machines.find('fake:///a')?.existing.taints.map(({ key }) => key);
  machines.putNode(readyNode('a', { taints, labels: { [INITIALIZED_LABEL]: '' } }));
  assert.deepEqual(visible(), ['example.com/mine']);
  machines.putNode(readyNode('a', { taints }));
  assert.equal(visible()?.length, 3);
  machines.removeNodeClaim('a');
  assert.equal(visible()?.length, 3);
});

test('a machine is described anew only when it has changed, or what is on it', () => {
  const machines = empty();
  machines.putNodeClaim(launchedClaim('a'));
  machines.putNode(readyNode('a'));
  const before = machines.find('fake:///a');
  machines.nominate('fake:///a', 1);
  const nominated = machines.find('fake:///a');
  assert.notEqual(nominated, before);
  assert.equal(nominated?.existing, before?.existing);
  machines.surroundingsChanged('someone-else');
  assert.equal(machines.find('fake:///a'), nominated);
  machines.surroundingsChanged('node-of-a');
  assert.notEqual(machines.find('fake:///a')?.existing, before?.existing);
});

test('of two nodes with one id the registered one counts, else the later, and when it goes the other', () => {
  const machines = empty();
  const providerId = 'cloud:///1';
  const counting = () => machines.find(providerId)?.existing.name;
  machines.putNode(plainNode('a', { providerId }));
  machines.putNode(plainNode('b', { providerId }));
  assert.equal(counting(), 'b');
  machines.putNode(plainNode('a', { providerId, labels: { [REGISTERED_LABEL]: 'true' } }));
  machines.putNode(plainNode('b', { providerId }));
  assert.equal(counting(), 'a');
  assert.equal(machines.removeNode('a'), true);
  assert.equal(counting(), 'b');
  machines.removeNode('b');
  assert.equal(machines.size, 0);
});

test('a machine with two nodes holds the pods of both', () => {
  const podsOn = (node: string) => [runningPod(`on-${node}`, node)];
  const machines = new Machines({ podsOn, volumeLimitsOf: () => ({}) });
  for (const name of ['a', 'b']) machines.putNode(plainNode(name, { providerId: 'cloud:///1' }));
  const { pods } = machines.find('cloud:///1')!.existing;
  assert.deepEqual(pods.map(({ metadata }) => metadata.name).toSorted(), ['on-a', 'on-b']);
});

test('what matters to consolidation is a machine that comes or loses a half, and a change of its standing', () => {
  const machines = empty();
  const starting = readyNode('a', { labels: { [INITIALIZED_LABEL]: '' } });
  assert.equal(machines.putNodeClaim(launchedClaim('b', { providerId: '' })), false);
  assert.equal(machines.putNodeClaim(launchedClaim('a')), true);
  assert.equal(machines.putNode(starting), false);
  assert.equal(machines.putNode(readyNode('a')), true);
  assert.equal(machines.putNode(readyNode('a', { labels: { more: 'labels' } })), false);
  assert.equal(machines.removeNode('node-of-a'), true);
  assert.equal(machines.removeNodeClaim('a'), true);
  assert.equal(machines.removeNodeClaim('b'), false);
});

/** What a pool holds, summed up from nothing. */
function sumOf(machines: Machines, nodePool: string): ResourceList {
  const sums = new Map<string, Quantity>();
  for (const { existing, isLeaving } of machines.states()) {
    if (isLeaving || existing.labels[NODEPOOL_LABEL] !== nodePool) continue;
    for (const [name, amount] of Object.entries({ ...existing.capacity, nodes: '1' })) {
      sums.set(name, addQuantities(sums.get(name) ?? ZERO_QUANTITY, parseQuantity(amount)));
    }
  }
  return Object.fromEntries([...sums].filter(([, { nanos }]) => nanos !== 0n).map(([k, q]) => [k, formatQuantity(q)]));
}

test('whatever comes, goes, moves or is marked, the sums of the pools are those of their machines', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const parts = fc.record({
    pool: fc.constantFrom('x', 'y'),
    providerId: fc.constantFrom('fake:///a', 'fake:///b', 'fake:///c', ''),
    capacity: fc.constantFrom<ResourceList>({ cpu: '4' }, { cpu: '500m', gpu: '1' }, { memory: '1Gi' }),
  });
  const step = fc.oneof(
    fc.tuple(name, parts).map(
      ([n, p]) =>
        (m: Machines) =>
          void m.putNode(readyNode(n, p)),
    ),
    fc.tuple(name, parts).map(
      ([n, p]) =>
        (m: Machines) =>
          void m.putNodeClaim(launchedClaim(n, p)),
    ),
    name.map((n) => (m: Machines) => void m.removeNode(`node-of-${n}`)),
    name.map((n) => (m: Machines) => void m.removeNodeClaim(n)),
    fc.tuple(name, fc.boolean()).map(
      ([n, is]) =>
        (m: Machines) =>
          m.mark(`fake:///${n}`, is),
    ),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const machines = empty();
      for (const take of steps) take(machines);
      for (const pool of ['x', 'y']) {
        const kept = Object.entries(machines.usage.of(pool)).filter(([, amount]) => amount !== '0');
        assert.deepEqual(Object.fromEntries(kept), sumOf(machines, pool));
      }
    }),
    { numRuns: 300 },
  );
});
