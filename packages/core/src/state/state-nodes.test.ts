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
import { conditionOf, launchedNodeClaim, plainNode, readyNode, runningPod } from '../testing/cluster-objects.ts';
import { StateNodes } from './state-nodes.ts';

/** Whoever marks nodes in the property below. */
const MARKER = {};

const empty = () => new StateNodes({ podsOn: () => [], volumeLimitsOf: () => ({}) });

test('02/19 03/154 a node nobody manages goes by its name until it has an id, and stays one', () => {
  const stateNodes = empty();
  stateNodes.putNode(plainNode('a'));
  assert.equal(stateNodes.find('a')?.existing.name, 'a');
  stateNodes.putNode(plainNode('a', { providerId: 'cloud:///1' }));
  assert.equal(stateNodes.size, 1);
  assert.equal(stateNodes.find('a'), undefined);
  assert.equal(stateNodes.find('cloud:///1')?.existing.name, 'a');
});

test('02/20 a node of a pool is not known before its type is, unless it is initialised', () => {
  const stateNodes = empty();
  const labels = { [NODEPOOL_LABEL]: 'default' };
  stateNodes.putNode(plainNode('a', { labels, providerId: 'cloud:///1' }));
  assert.equal(stateNodes.size, 0);
  assert.equal(stateNodes.areAllIdentified, false);
  stateNodes.putNode(plainNode('a', { labels: { ...labels, [INSTANCE_TYPE_LABEL]: 't' }, providerId: 'cloud:///1' }));
  assert.equal(stateNodes.size, 1);
  assert.equal(stateNodes.areAllIdentified, true);
  stateNodes.putNode(plainNode('b', { labels: { ...labels, [INITIALIZED_LABEL]: 'true' }, providerId: 'cloud:///2' }));
  assert.equal(stateNodes.size, 2);
});

test('a node once known stays known, whatever labels it loses', () => {
  const stateNodes = empty();
  stateNodes.putNode(readyNode('a'));
  stateNodes.putNode(readyNode('a', { labels: { [INSTANCE_TYPE_LABEL]: '', [INITIALIZED_LABEL]: '' } }));
  assert.equal(stateNodes.areAllIdentified, true);
  assert.equal(stateNodes.find('fake:///a')?.existing.initialized, true);
});

test('a node of a pool waits for its id, and one that goes meanwhile is waited for no longer', () => {
  const stateNodes = empty();
  stateNodes.putNode(plainNode('a', { labels: { [NODEPOOL_LABEL]: 'default', [INSTANCE_TYPE_LABEL]: 't' } }));
  assert.equal(stateNodes.areAllIdentified, false);
  stateNodes.removeNode('a');
  assert.equal(stateNodes.areAllIdentified, true);
});

test('what is deleted is not waited for, and is again when a namesake comes', () => {
  const stateNodes = empty();
  const nodeClaim = launchedNodeClaim('c', { providerId: '' });
  const node = plainNode('n', { labels: { [NODEPOOL_LABEL]: 'default' } });
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  for (let i = 0; i < 2; i++) {
    stateNodes.putNodeClaim(nodeClaim);
    stateNodes.putNode(node);
    assert.deepEqual([stateNodes.areAllLaunched, stateNodes.areAllIdentified], [false, false]);
    stateNodes.putNodeClaim({ ...nodeClaim, metadata: { ...nodeClaim.metadata, deletionTimestamp } });
    stateNodes.putNode({ ...node, metadata: { ...node.metadata, deletionTimestamp } });
    assert.deepEqual([stateNodes.areAllLaunched, stateNodes.areAllIdentified], [true, true]);
  }
  // A launch that was under way when it was deleted: the state node is known, and is deleting.
  const metadata = { ...nodeClaim.metadata, deletionTimestamp };
  stateNodes.putNodeClaim({ ...nodeClaim, metadata, status: { providerID: 'fake:///c' } });
  assert.equal(stateNodes.find('fake:///c')?.isDeleting, true);
});

test('02/137 03/108 a state node exists as long as its Node or its NodeClaim does', () => {
  const stateNodes = empty();
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  stateNodes.putNode({ ...readyNode('a'), metadata: { ...readyNode('a').metadata, name: 'a' } });
  assert.equal(stateNodes.size, 1);
  stateNodes.removeNodeClaim('a');
  assert.equal(stateNodes.size, 1);
  assert.equal(stateNodes.find('fake:///a')?.nodeClaim, undefined);
  stateNodes.removeNode('a');
  assert.equal(stateNodes.size, 0);
});

test('02/17 a NodeClaim is unlaunched until it has an id or is gone', () => {
  const stateNodes = empty();
  stateNodes.putNodeClaim(launchedNodeClaim('a', { providerId: '' }));
  stateNodes.putNodeClaim(launchedNodeClaim('b', { providerId: '' }));
  assert.equal(stateNodes.size, 0);
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  assert.equal(stateNodes.areAllLaunched, false);
  stateNodes.removeNodeClaim('b');
  assert.equal(stateNodes.areAllLaunched, true);
  assert.equal(stateNodes.size, 1);
});

test('02/139 03/99 until it is initialised a state node has the capacity its NodeClaim promises, then what its kubelet says', () => {
  const stateNodes = empty();
  const usage = () => stateNodes.usage.of('default');
  stateNodes.putNodeClaim(launchedNodeClaim('a', { capacity: { cpu: '4', gpu: '1' } }));
  assert.deepEqual(usage(), { cpu: '4', gpu: '1', nodes: '1' });
  const starting = { ...readyNode('a', { capacity: { cpu: '3', gpu: '0' } }) };
  stateNodes.putNode({
    ...starting,
    metadata: { ...starting.metadata, labels: { ...starting.metadata.labels, [INITIALIZED_LABEL]: '' } },
  });
  assert.deepEqual(usage(), { cpu: '3', gpu: '1', nodes: '1' });
  stateNodes.putNode(starting);
  assert.deepEqual(usage(), { cpu: '3', gpu: '0', nodes: '1' });
});

test('02/139 03/154 the capacity of a state node moves with its pool, its provider id, its Node and its NodeClaim, and counts once', () => {
  const stateNodes = empty();
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  stateNodes.putNode(readyNode('a'));
  const held = { cpu: '4', memory: '8Gi', pods: '10', nodes: '1' };
  assert.deepEqual(stateNodes.usage.of('default'), held);
  stateNodes.putNode(readyNode('a', { pool: 'other' }));
  assert.deepEqual([stateNodes.usage.of('default'), stateNodes.usage.of('other')], [{}, held]);
  stateNodes.putNode(readyNode('a', { pool: 'other', providerId: 'fake:///b' }));
  assert.deepEqual([stateNodes.usage.of('default'), stateNodes.usage.of('other')], [held, held]); // two state nodes now
  stateNodes.removeNodeClaim('a');
  assert.deepEqual([stateNodes.usage.of('default'), stateNodes.usage.of('other')], [{}, held]);
  stateNodes.removeNode('node-of-a');
  assert.deepEqual(stateNodes.usage.of('other'), {});
});

test('02/25 03/98 03/155 a mark for deletion takes a state node out of its pool’s usage once, and gives it back', () => {
  const stateNodes = empty();
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  stateNodes.putNodeClaim(launchedNodeClaim('b'));
  const count = () => stateNodes.usage.of('default')['nodes'];
  const owner = {};
  stateNodes.mark('fake:///a', owner);
  stateNodes.mark('fake:///a', owner);
  assert.equal(count(), '1');
  assert.equal(stateNodes.find('fake:///a')?.isDeleting, true);
  stateNodes.unmark('fake:///a', owner);
  assert.equal(count(), '2');
  stateNodes.mark('fake:///a', owner);
  const nodeClaim = launchedNodeClaim('a');
  stateNodes.putNodeClaim({
    ...nodeClaim,
    metadata: { ...nodeClaim.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  stateNodes.removeNodeClaim('a');
  assert.equal(count(), '1');
});

test('a node that two owners mark stays marked until both take their marks back', () => {
  const stateNodes = empty();
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  const [drift, consolidation] = [{}, {}];
  stateNodes.mark('fake:///a', drift);
  stateNodes.mark('fake:///a', consolidation);
  stateNodes.unmark('fake:///a', consolidation);
  assert.equal(stateNodes.find('fake:///a')?.isDeleting, true);
  stateNodes.unmark('fake:///a', drift);
  assert.equal(stateNodes.find('fake:///a')?.isDeleting, false);
});

test('a mark survives a state node that disappears and comes back, until its owner is done', () => {
  const stateNodes = empty();
  const owner = {};
  const comeBack = (): boolean | undefined => {
    stateNodes.removeNodeClaim('a');
    stateNodes.putNodeClaim(launchedNodeClaim('a'));
    return stateNodes.find('fake:///a')?.isDeleting;
  };
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  stateNodes.mark('fake:///a', owner);
  assert.equal(comeBack(), true);
  stateNodes.completeMarks(owner);
  assert.equal(stateNodes.find('fake:///a')?.isDeleting, true);
  assert.equal(comeBack(), false); // the mark went with the node
});

test('a node that is gone when the owner is done leaves no mark behind', () => {
  const stateNodes = empty();
  const owner = {};
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  stateNodes.mark('fake:///a', owner);
  stateNodes.removeNodeClaim('a');
  stateNodes.completeMarks(owner);
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  assert.equal(stateNodes.find('fake:///a')?.isDeleting, false);
});

test('a NodePool knows its pending, active and deleting members', () => {
  const stateNodes = empty();
  const members = (pool = 'default') => {
    const { pending, active, deleting } = stateNodes.members.of(pool);
    return [[...pending], [...active], [...deleting]];
  };
  const launched = launchedNodeClaim('a');
  stateNodes.putNodeClaim({ ...launched, status: {} });
  assert.deepEqual(members(), [['a'], [], []]);
  stateNodes.putNodeClaim(launched);
  assert.deepEqual(members(), [[], ['fake:///a'], []]);
  stateNodes.mark('fake:///a', MARKER);
  assert.deepEqual(members(), [[], [], ['fake:///a']]);
  stateNodes.removeNodeClaim('a');
  assert.deepEqual(members(), [[], [], []]);
});

test('a state node is deleting with its NodeClaim, or when its instance terminates; a Node alone when it is deleted', () => {
  const stateNodes = empty();
  const isDeleting = (providerId: string) => stateNodes.find(providerId)?.isDeleting;
  const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const nodeClaim = launchedNodeClaim('a');
  stateNodes.putNodeClaim(nodeClaim);
  stateNodes.putNode({ ...readyNode('a'), metadata: { ...readyNode('a').metadata, ...deleted } });
  assert.equal(isDeleting('fake:///a'), false); // the NodeClaim will follow: until then it decides
  stateNodes.putNodeClaim({
    ...nodeClaim,
    status: { ...nodeClaim.status, conditions: [conditionOf('InstanceTerminating')] },
  });
  assert.equal(isDeleting('fake:///a'), true);
  stateNodes.putNode({ ...plainNode('b'), metadata: { name: 'b', ...deleted } });
  assert.equal(isDeleting('b'), true);
});

test('03/107 taints a starting node is about to lose are invisible until it is initialised', () => {
  const stateNodes = empty();
  const taints = [
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    { key: 'example.com/startup', effect: 'NoSchedule' },
    { key: 'example.com/mine', effect: 'NoSchedule' },
  ] as const;
  const nodeClaim = launchedNodeClaim('a');
  stateNodes.putNodeClaim({ ...nodeClaim, spec: { ...nodeClaim.spec, startupTaints: [taints[1]] } });
  const visible = () => stateNodes.find('fake:///a')?.existing.taints.map(({ key }) => key);
  stateNodes.putNode(readyNode('a', { taints, labels: { [INITIALIZED_LABEL]: '' } }));
  assert.deepEqual(visible(), ['example.com/mine']);
  stateNodes.putNode(readyNode('a', { taints }));
  assert.equal(visible()?.length, 3);
  stateNodes.removeNodeClaim('a');
  assert.equal(visible()?.length, 3);
});

test('a state node is computed again only when it or its pods have changed', () => {
  const stateNodes = empty();
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  stateNodes.putNode(readyNode('a'));
  const before = stateNodes.find('fake:///a');
  stateNodes.nominate('fake:///a', 1);
  const nominated = stateNodes.find('fake:///a');
  assert.notEqual(nominated, before);
  assert.equal(nominated?.existing, before?.existing);
  stateNodes.podsOrLimitsChanged('someone-else');
  assert.equal(stateNodes.find('fake:///a'), nominated);
  stateNodes.podsOrLimitsChanged('node-of-a');
  assert.notEqual(stateNodes.find('fake:///a')?.existing, before?.existing);
});

test('the planner knows a state node by its provider id, and a Node without one by its name', () => {
  const stateNodes = empty();
  stateNodes.putNodeClaim(launchedNodeClaim('a'));
  stateNodes.putNode(plainNode('alone', { providerId: 'cloud:///1' }));
  stateNodes.putNode(plainNode('bare'));
  for (const { providerId, existing } of stateNodes.states()) assert.equal(existing.providerId, providerId);
  assert.equal(stateNodes.size, 3);
});

test('of two nodes with one id the registered one counts, else the later, and when it goes the other', () => {
  const stateNodes = empty();
  const providerId = 'cloud:///1';
  const counting = () => stateNodes.find(providerId)?.existing.name;
  stateNodes.putNode(plainNode('a', { providerId }));
  stateNodes.putNode(plainNode('b', { providerId }));
  assert.equal(counting(), 'b');
  stateNodes.putNode(plainNode('a', { providerId, labels: { [REGISTERED_LABEL]: 'true' } }));
  stateNodes.putNode(plainNode('b', { providerId }));
  assert.equal(counting(), 'a');
  assert.equal(stateNodes.removeNode('a'), true);
  assert.equal(counting(), 'b');
  stateNodes.removeNode('b');
  assert.equal(stateNodes.size, 0);
});

test('a state node with two Nodes has the pods of both', () => {
  const podsOn = (node: string) => [runningPod(`on-${node}`, node)];
  const stateNodes = new StateNodes({ podsOn, volumeLimitsOf: () => ({}) });
  for (const name of ['a', 'b']) stateNodes.putNode(plainNode(name, { providerId: 'cloud:///1' }));
  const { pods } = stateNodes.find('cloud:///1')!.existing;
  assert.deepEqual(pods.map(({ metadata }) => metadata.name).toSorted(), ['on-a', 'on-b']);
});

test('consolidation looks again when a Node or NodeClaim comes or goes, is initialised or begins to delete', () => {
  const stateNodes = empty();
  const starting = readyNode('a', { labels: { [INITIALIZED_LABEL]: '' } });
  assert.equal(stateNodes.putNodeClaim(launchedNodeClaim('b', { providerId: '' })), false);
  assert.equal(stateNodes.putNodeClaim(launchedNodeClaim('a')), true);
  assert.equal(stateNodes.putNode(starting), false);
  assert.equal(stateNodes.putNode(readyNode('a')), true);
  assert.equal(stateNodes.putNode(readyNode('a', { labels: { more: 'labels' } })), false);
  assert.equal(stateNodes.removeNode('node-of-a'), true);
  assert.equal(stateNodes.removeNodeClaim('a'), true);
  assert.equal(stateNodes.removeNodeClaim('b'), false);
});

/** What a pool holds, summed up from nothing. */
function sumOf(stateNodes: StateNodes, nodePool: string): ResourceList {
  const sums = new Map<string, Quantity>();
  for (const { existing, isDeleting } of stateNodes.states()) {
    if (isDeleting || existing.labels[NODEPOOL_LABEL] !== nodePool) continue;
    for (const [name, amount] of Object.entries({ ...existing.capacity, nodes: '1' })) {
      sums.set(name, addQuantities(sums.get(name) ?? ZERO_QUANTITY, parseQuantity(amount)));
    }
  }
  return Object.fromEntries([...sums].filter(([, { nanos }]) => nanos !== 0n).map(([k, q]) => [k, formatQuantity(q)]));
}

test('whatever comes, goes, moves or is marked, the usage of a pool is the sum over its state nodes', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const parts = fc.record({
    pool: fc.constantFrom('x', 'y'),
    providerId: fc.constantFrom('fake:///a', 'fake:///b', 'fake:///c', ''),
    capacity: fc.constantFrom<ResourceList>({ cpu: '4' }, { cpu: '500m', gpu: '1' }, { memory: '1Gi' }),
  });
  const step = fc.oneof(
    fc.tuple(name, parts).map(
      ([n, p]) =>
        (m: StateNodes) =>
          void m.putNode(readyNode(n, p)),
    ),
    fc.tuple(name, parts).map(
      ([n, p]) =>
        (m: StateNodes) =>
          void m.putNodeClaim(launchedNodeClaim(n, p)),
    ),
    name.map((n) => (m: StateNodes) => void m.removeNode(`node-of-${n}`)),
    name.map((n) => (m: StateNodes) => void m.removeNodeClaim(n)),
    fc.tuple(name, fc.boolean()).map(
      ([n, is]) =>
        (m: StateNodes) =>
          is ? m.mark(`fake:///${n}`, MARKER) : m.unmark(`fake:///${n}`, MARKER),
    ),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const stateNodes = empty();
      for (const take of steps) take(stateNodes);
      for (const pool of ['x', 'y']) {
        const kept = Object.entries(stateNodes.usage.of(pool)).filter(([, amount]) => amount !== '0');
        assert.deepEqual(Object.fromEntries(kept), sumOf(stateNodes, pool));
        const { active, deleting } = stateNodes.members.of(pool);
        assert.deepEqual([[...active].sort(), [...deleting].sort()], membersOf(stateNodes, pool));
      }
    }),
    { numRuns: 300 },
  );
});

/** The active and the deleting state nodes of a pool, counted one by one. */
function membersOf(stateNodes: StateNodes, pool: string): readonly (readonly string[])[] {
  const ofPool = [...stateNodes.states()].filter(({ existing }) => existing.labels[NODEPOOL_LABEL] === pool);
  const ids = (isDeleting: boolean) =>
    ofPool.filter((state) => state.isDeleting === isDeleting).map(({ providerId }) => providerId);
  return [ids(false).sort(), ids(true).sort()];
}
