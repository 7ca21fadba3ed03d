import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { Handler } from '@karpenter-ts/runtime';
import { OwnWrites } from './own-writes.ts';

/** A cache that says what it is told to, when it is told to. */
class FakeCache {
  readonly #objects = new Map<string, ApiObject>();
  #handler: Handler<ApiObject> = {};

  get(key: string): ApiObject | undefined {
    return this.#objects.get(key);
  }

  addHandler(handler: Handler<ApiObject>): () => void {
    this.#handler = handler;
    return () => undefined;
  }

  put(object: ApiObject): void {
    const old = this.#objects.get(object.metadata.name);
    this.#objects.set(object.metadata.name, object);
    if (old !== undefined) this.#handler.onUpdate?.(old, object);
  }

  remove(name: string): void {
    const old = this.#objects.get(name);
    this.#objects.delete(name);
    if (old !== undefined) this.#handler.onDelete?.(old);
  }
}

const version = (resourceVersion: string, uid = 'u'): ApiObject => ({ metadata: { name: 'a', uid, resourceVersion } });
const seen = (writes: OwnWrites<ApiObject>): string | undefined => writes.get('a')?.metadata.resourceVersion;

test('the server’s answer counts until the cache has it, also over versions in between', () => {
  const cache = new FakeCache();
  const writes = new OwnWrites(cache);
  cache.put(version('8'));
  writes.remember(version('10'));
  assert.equal(seen(writes), '10');
  cache.put(version('9'));
  assert.equal(seen(writes), '10');
  cache.put(version('10'));
  assert.deepEqual([seen(writes), writes.size], ['10', 0]);
});

test('an answer the cache was quicker than is not kept', () => {
  const cache = new FakeCache();
  const writes = new OwnWrites(cache);
  cache.put(version('12'));
  writes.remember(version('10'));
  assert.deepEqual([seen(writes), writes.size], ['12', 0]);
});

test('an object that is gone is gone, and its namesake is another', () => {
  const cache = new FakeCache();
  const writes = new OwnWrites(cache);
  cache.put(version('8'));
  writes.remember(version('10'));
  cache.remove('a');
  assert.equal(seen(writes), undefined);
  cache.put(version('9', 'other'));
  writes.remember(version('11'));
  assert.equal(seen(writes), '9');
});
