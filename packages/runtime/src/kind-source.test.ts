import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { Handler } from './informer/handlers.ts';
import { type KindSourceOptions, kindSource } from './kind-source.ts';

interface Pod extends ApiObject {
  readonly node?: string;
}

const pod = (name: string, resourceVersion: string, node?: string): Pod => ({
  metadata: { namespace: 'default', name, resourceVersion },
  ...(node !== undefined && { node }),
});

/** A source on an informer whose events the test makes up, and the adds that come of them. */
function setUp(options?: KindSourceOptions<Pod>) {
  let handler!: Required<Handler<Pod>>;
  const informer = {
    type: { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true },
    hasSynced: true,
    start: async () => {},
    addHandlerInTurns: async (added: Handler<Pod>) => {
      handler = added as Required<Handler<Pod>>;
    },
  };
  const adds: [string, number | undefined][] = [];
  const source = kindSource(informer, options);
  void source.attach({
    add: (key, priority) => adds.push([key, priority]),
    addAfter: () => assert.fail('no delays here'),
  });
  return { source, handler, adds, informer };
}

test('05/41 the initial list and empty resyncs come at priority -100, all that changed at 0', () => {
  const { handler, adds, source, informer } = setUp();
  handler.onAdd(pod('listed', '1'), true);
  handler.onAdd(pod('created', '2'), false);
  handler.onUpdate(pod('resynced', '3'), pod('resynced', '3'));
  handler.onUpdate(pod('changed', '4'), pod('changed', '5'));
  handler.onDelete(pod('deleted', '6'));
  const last = new Map(adds);
  assert.deepEqual(
    [...last],
    [
      ['default/listed', -100],
      ['default/created', 0],
      ['default/resynced', -100],
      ['default/changed', 0],
      ['default/deleted', 0],
    ],
  );
  assert.equal(source.name, 'kind source: *v1.Pod');
  assert.equal(source.watched?.cache, informer);
});

test('an update concerns the keys of both its states', () => {
  const { handler, adds } = setUp({ keys: ({ node }) => (node === undefined ? [] : [node]) });
  handler.onUpdate(pod('moved', '1', 'node-a'), pod('moved', '2', 'node-b'));
  handler.onAdd(pod('unbound', '1'), false);
  assert.deepEqual(adds, [
    ['node-b', 0],
    ['node-a', 0],
  ]);
});

test('only the changes that matter come through', () => {
  const { handler, adds } = setUp({ when: (change) => change.type === 'added' && !change.isInitial });
  handler.onAdd(pod('listed', '1'), true);
  handler.onAdd(pod('created', '2'), false);
  handler.onDelete(pod('created', '2'));
  assert.deepEqual(adds, [['default/created', 0]]);
});
