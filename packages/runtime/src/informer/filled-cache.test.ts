import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FixturePod } from '../testing/fixture-informer.ts';
import { PODS } from '../testing/fixture-client.ts';
import { FilledCache } from './filled-cache.ts';

const pod = (name: string, nodeName: string): FixturePod => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { nodeName },
});

function filled(): { readonly cache: FilledCache<FixturePod, 'node'>; readonly log: readonly string[] } {
  const cache = new FilledCache<FixturePod, 'node'>(PODS, {
    indexes: { node: ({ spec }) => [spec?.nodeName ?? ''] },
  });
  const log: string[] = [];
  cache.addHandler({
    onAdd: ({ metadata }, isInitial) => log.push(`add ${metadata.name}${isInitial ? ' initially' : ''}`),
    onUpdate: (old, { spec }) => log.push(`update ${old.spec?.nodeName} to ${spec?.nodeName}`),
    onDelete: ({ metadata }) => log.push(`delete ${metadata.name}`),
  });
  return { cache, log };
}

test('a filled cache finds what was put into it by key and by index, and is in sync from the start', () => {
  const { cache } = filled();
  assert.equal(cache.hasSynced, true);
  cache.put(pod('a', 'one'));
  cache.put(pod('b', 'one'));
  cache.put(pod('a', 'two'));
  cache.remove('default/b');
  assert.deepEqual(
    cache.list().map(({ metadata }) => metadata.name),
    ['a'],
  );
  assert.equal(cache.byIndex('node', 'one').length, 0);
  assert.equal(cache.byIndex('node', 'two')[0], cache.get('default/a'));
});

test('handlers of a filled cache see each change once, also of objects without a resourceVersion', () => {
  const { cache, log } = filled();
  cache.put(pod('a', 'one'));
  cache.put(pod('a', 'two'));
  cache.put({ ...pod('a', 'three'), metadata: { name: 'a', namespace: 'default', uid: 'another' } });
  cache.remove('default/a');
  cache.remove('default/a');
  assert.deepEqual(log, ['add a', 'update one to two', 'delete a', 'add a', 'delete a']);
});

test('a handler that throws fails the call that changed the cache', () => {
  const { cache } = filled();
  cache.addHandler({
    onAdd: () => {
      throw new Error('broken');
    },
  });
  assert.throws(() => cache.put(pod('a', 'one')), /broken/);
});
