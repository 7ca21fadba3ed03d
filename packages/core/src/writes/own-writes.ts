import { type ApiObject, objectKey, shared } from '@karpenter-ts/kubernetes';
import type { Informer } from '@karpenter-ts/runtime';

/**
 * A view of a cache that is never behind our own writes: the server's answer counts until the cache has that version or
 * a newer one. So no pass repeats a change it has made, and none has to wait for a watch. Every operation is O(1), and
 * only answers that the cache lacks are held.
 */
export class OwnWrites<T extends ApiObject> {
  readonly #cache: Pick<Informer<T>, 'get' | 'addHandler'>;
  readonly #answers = new Map<string, T>(); // by key; newer than the version in the cache

  constructor(cache: Pick<Informer<T>, 'get' | 'addHandler'>) {
    this.#cache = cache;
    cache.addHandler({
      onUpdate: (_old, object) => this.#drop(object),
      onDelete: ({ metadata }) => this.#answers.delete(objectKey(metadata)),
    });
  }

  /** The number of answers that the cache does not have yet. */
  get size(): number {
    return this.#answers.size;
  }

  /** Remembers the server's answer to a write of an object that was in the cache, and returns it. */
  remember(answer: T): T {
    const key = objectKey(answer.metadata);
    const cached = this.#cache.get(key);
    if (cached !== undefined && isOlder(cached, answer)) this.#answers.set(key, shared(answer));
    return answer;
  }

  /** The newest known version; undefined once the cache knows that the object is gone. */
  get(key: string): T | undefined {
    return this.#answers.get(key) ?? this.#cache.get(key);
  }

  #drop(object: T): void {
    const key = objectKey(object.metadata);
    const answer = this.#answers.get(key);
    if (answer !== undefined && !isOlder(object, answer)) this.#answers.delete(key);
  }
}

/**
 * Whether `a` is a newer version of the same object (by uid). Resource versions are growing decimal numbers (KEP-5504).
 */
function isOlder({ metadata: a }: ApiObject, { metadata: b }: ApiObject): boolean {
  return a.uid === b.uid && BigInt(a.resourceVersion ?? 0) < BigInt(b.resourceVersion ?? 0);
}
