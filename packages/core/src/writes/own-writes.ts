import { type ApiObject, objectKey, shared } from '@karpenter-ts/kubernetes';
import type { Informer } from '@karpenter-ts/runtime';

/**
 * A cache that is never behind one's own writes: what the server answered stands until the cache has it or something
 * newer. So no pass acts twice on what it has changed already, and none waits for a watch. O(1) for each operation and
 * each change of the cache; holds only answers the cache lacks.
 */
export class OwnWrites<T extends ApiObject> {
  readonly #cache: Pick<Informer<T>, 'get' | 'addHandler'>;
  readonly #answers = new Map<string, T>(); // by key; newer than what the cache has under it

  constructor(cache: Pick<Informer<T>, 'get' | 'addHandler'>) {
    this.#cache = cache;
    cache.addHandler({
      onUpdate: (_old, object) => this.#drop(object),
      onDelete: ({ metadata }) => this.#answers.delete(objectKey(metadata)),
    });
  }

  /** How many answers the cache does not have yet. */
  get size(): number {
    return this.#answers.size;
  }

  /** Takes the server's answer to a write of an object that was in the cache, and hands it back. */
  remember(answer: T): T {
    const key = objectKey(answer.metadata);
    const cached = this.#cache.get(key);
    if (cached !== undefined && isOlder(cached, answer)) this.#answers.set(key, shared(answer));
    return answer;
  }

  /** The newest state known; undefined once the cache knows that the object is gone. */
  get(key: string): T | undefined {
    return this.#answers.get(key) ?? this.#cache.get(key);
  }

  #drop(object: T): void {
    const key = objectKey(object.metadata);
    const answer = this.#answers.get(key);
    if (answer !== undefined && !isOlder(object, answer)) this.#answers.delete(key);
  }
}

/** Of one object, not of a namesake. Versions are decimal numbers that grow (KEP-5504). */
function isOlder({ metadata: a }: ApiObject, { metadata: b }: ApiObject): boolean {
  return a.uid === b.uid && BigInt(a.resourceVersion ?? 0) < BigInt(b.resourceVersion ?? 0);
}
