import type { ApiObject } from '@karpenter-ts/kubernetes';

/**
 * The versions of objects that this controller has itself written over, by key. A pass that finds one of them in the
 * cache would act on its own past; the newer version is on its way and brings the next pass.
 */
export class SupersededVersions {
  readonly #versions = new Map<string, Set<string>>();

  /** This version has been written over. */
  mark(key: string, { metadata }: ApiObject): void {
    const versions = this.#versions.get(key) ?? new Set();
    this.#versions.set(key, versions.add(metadata.resourceVersion ?? ''));
  }

  /** Whether the cache is behind. Once it is not, what was written before is forgotten. */
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
