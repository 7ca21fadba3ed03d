import type { ApiObject } from '@karpenter-ts/kubernetes';

/**
 * Versions of objects that this controller has overwritten, by key. A reconcile that finds one of them in the cache
 * would act on an outdated state; the newer version is on its way and triggers the next reconcile.
 */
export class SupersededVersions {
  readonly #versions = new Map<string, Set<string>>();

  /** Marks a version as overwritten. */
  mark(key: string, { metadata }: ApiObject): void {
    const versions = this.#versions.get(key) ?? new Set();
    this.#versions.set(key, versions.add(metadata.resourceVersion ?? ''));
  }

  /** Whether the cache still shows an overwritten version. Once it does not, the entry is dropped. */
  includes(key: string, { metadata }: ApiObject): boolean {
    const isOld = this.#versions.get(key)?.has(metadata.resourceVersion ?? '') ?? false;
    if (!isOld) this.#versions.delete(key);
    return isOld;
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#versions.delete(key);
  }
}
