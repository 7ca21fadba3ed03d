import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS, type ObjectMeta, type OwnerReference } from '@karpenter-ts/kubernetes';
import { isAt, OwnerGraph } from './owner-graph.ts';

function graphWithWork(): { readonly graph: OwnerGraph; readonly work: () => readonly string[] } {
  const pending: string[] = [];
  return { graph: new OwnerGraph((uid) => pending.push(uid)), work: () => pending.splice(0) };
}

function object(name: string, owners: readonly string[] = [], metadata: Partial<ObjectMeta> = {}) {
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      ownerReferences: owners.map((owner) => reference(owner)),
      ...metadata,
    },
  };
}

function reference(name: string, blockOwnerDeletion = true): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: name, blockOwnerDeletion };
}

const terminating = (finalizer: string) => ({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] });

test('when an owner goes its dependents are worth a look', () => {
  const { graph, work } = graphWithWork();
  graph.put(CONFIG_MAPS, object('parent'));
  graph.put(CONFIG_MAPS, object('child', ['parent']));
  assert.deepEqual(work(), []);
  graph.remove('parent');
  assert.deepEqual(work(), ['child']);
});

test('an owner nobody has seen is looked for once, and known when it comes', () => {
  const { graph, work } = graphWithWork();
  graph.put(CONFIG_MAPS, object('child', ['parent']));
  graph.put(CONFIG_MAPS, object('sibling', ['parent']));
  assert.deepEqual(work(), ['parent']);
  assert.equal(graph.get('parent')?.type, undefined);
  graph.put(CONFIG_MAPS, object('parent'));
  assert.equal(graph.get('parent')?.type, CONFIG_MAPS);
  assert.equal(graph.dependentsOf('parent').length, 2);
});

test('an owner deleted in the foreground and all it owns are worth a look, again when one of them has gone', () => {
  const { graph, work } = graphWithWork();
  graph.put(CONFIG_MAPS, object('parent'));
  graph.put(CONFIG_MAPS, object('child', ['parent']));
  graph.put(CONFIG_MAPS, object('parent', [], terminating('foregroundDeletion')));
  assert.deepEqual(work(), ['child', 'parent']);
  graph.put(CONFIG_MAPS, object('parent', [], terminating('foregroundDeletion')));
  assert.deepEqual(work(), []);
  graph.remove('child');
  assert.deepEqual(work(), ['parent']);
});

test('those that block an owner are known, and letting go of it unblocks it', () => {
  const { graph, work } = graphWithWork();
  graph.put(CONFIG_MAPS, object('parent'));
  graph.put(CONFIG_MAPS, object('child', ['parent']));
  graph.put(CONFIG_MAPS, object('idle', [], { ownerReferences: [reference('parent', false)] }));
  assert.deepEqual(
    graph.blockersOf('parent').map(({ uid }) => uid),
    ['child'],
  );
  graph.put(CONFIG_MAPS, object('child', [], { ownerReferences: [reference('parent', false)] }));
  assert.deepEqual(work(), ['parent']);
  assert.deepEqual(graph.blockersOf('parent'), []);
});

test('an owner that leaves orphans is worth a look once', () => {
  const { graph, work } = graphWithWork();
  graph.put(CONFIG_MAPS, object('parent', [], terminating('orphan')));
  graph.put(CONFIG_MAPS, object('parent', [], terminating('orphan')));
  assert.deepEqual(work(), ['parent']);
});

test('a reference that does not fit the owner it names makes the dependent worth a look', () => {
  const { graph, work } = graphWithWork();
  graph.put(CONFIG_MAPS, object('parent'));
  graph.put(CONFIG_MAPS, object('child', ['parent'], { namespace: 'other' }));
  assert.deepEqual(work(), ['child']);
  const parent = graph.get('parent');
  assert.ok(parent !== undefined);
  assert.ok(isAt(parent, reference('parent'), 'default'));
  assert.ok(!isAt(parent, reference('parent'), 'other'));
  assert.ok(!isAt(parent, { ...reference('parent'), name: 'x' }, 'default'));
});

test('nothing is kept of owners and dependents that are gone', () => {
  const { graph } = graphWithWork();
  graph.put(CONFIG_MAPS, object('child', ['ghost']));
  graph.remove('child');
  assert.equal(graph.get('ghost'), undefined);
  assert.deepEqual(graph.dependentsOf('ghost'), []);
});
