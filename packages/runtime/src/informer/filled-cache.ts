import type { ApiObject, ResourceType } from '@karpenter-ts/kubernetes';
import { ObjectCache } from './object-cache.ts';
import type { StoreOptions } from './store.ts';

/**
 * A cache without an API server: it holds what it is given, in the order in which it was given it. A handler that throws
 * fails the call that told it, because nobody else would learn of it.
 */
export class FilledCache<T extends ApiObject, I extends string = never> extends ObjectCache<T, I> {
  constructor(type: ResourceType, options: StoreOptions<T, I>) {
    super(type, options, (error) => {
      throw error;
    });
  }

  /** Always: what it holds is all there is. */
  override get hasSynced(): boolean {
    return true;
  }

  /** Adds an object, or replaces the one of the same key. The object belongs to the cache from now on. */
  put(object: T): void {
    this.keep(this.store.prepare(object), false);
  }

  /** Removes the object of this key, if there is one. */
  remove(key: string): void {
    const gone = this.store.delete(key);
    if (gone !== undefined) this.handlers.deleted(gone);
  }
}
