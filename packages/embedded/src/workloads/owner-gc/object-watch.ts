import { type ApiObject, resourceNameOf, type ResourceType } from '@karpenter-ts/kubernetes';
import { type Cache, type Handler, Informer, keepFields, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import type { ApiResources } from '../api-resources.ts';
import type { CacheDeps } from '../caches.ts';

type ObjectCache = Pick<Informer<ApiObject>, 'type' | 'start' | 'hasSynced' | 'addHandler'>;

/** Called for every object of every kind. */
export type ObjectHandler = Required<Pick<Handler<ApiObject>, 'onAdd' | 'onUpdate' | 'onDelete'>>;

const REFRESH = 30 * SECOND; // as kube-controller-manager
/** Kinds whose objects own nothing, are owned by nothing, and come in numbers. */
const IGNORED: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);
const WATCHED_VERBS = ['delete', 'list', 'watch'];

const keepMetadata = keepFields<ApiObject>({
  metadata: {
    name: true,
    namespace: true,
    uid: true,
    resourceVersion: true,
    ownerReferences: true,
    finalizers: true,
    deletionTimestamp: true,
  },
});

/**
 * Watches the metadata of all objects, including kinds that are added later. Kinds that have a cache already are read
 * from it.
 */
export class ObjectWatch implements Cache {
  readonly #deps: CacheDeps & { readonly clock: SteadyClock };
  readonly #resources: ApiResources;
  readonly #known = new Map<string, ObjectCache>();
  readonly #own = new Map<string, AbortController>(); // of those started here
  readonly #handlerOf: (type: ResourceType) => ObjectHandler;
  #isComplete = false; // the first round of discovery is over

  constructor(options: {
    readonly deps: CacheDeps;
    readonly resources: ApiResources;
    readonly caches: Iterable<ObjectCache>;
    readonly handlerOf: (type: ResourceType) => ObjectHandler;
  }) {
    this.#deps = options.deps;
    this.#resources = options.resources;
    this.#handlerOf = options.handlerOf;
    for (const cache of options.caches) this.#adopt(cache);
  }

  get hasSynced(): boolean {
    return this.#isComplete && [...this.#known.values()].every((cache) => cache.hasSynced);
  }

  /** Looks for new kinds until aborted, and whenever a CRD changes. */
  async start(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#followAll(signal).catch((error: unknown) =>
        this.#deps.logger.error('Failed to discover resources for garbage collection', error),
      );
      await this.#deps.clock.sleep(REFRESH, signal).catch(() => undefined);
      this.#resources.refresh();
    }
    for (const stop of this.#own.values()) stop.abort();
  }

  async #followAll(signal: AbortSignal): Promise<void> {
    const offered = await this.#resources.list();
    const wanted = offered.filter(({ verbs }) => WATCHED_VERBS.every((verb) => verbs.includes(verb)));
    for (const { type } of wanted) {
      const name = resourceNameOf(type);
      if (!this.#known.has(name) && !IGNORED.has(name)) this.#follow(type, signal);
    }
    const names = new Set(wanted.map(({ type }) => resourceNameOf(type)));
    for (const [name, stop] of this.#own) {
      if (names.has(name)) continue;
      stop.abort();
      this.#own.delete(name);
      this.#known.delete(name);
    }
    this.#isComplete = true;
  }

  #follow(type: ResourceType, signal: AbortSignal): void {
    const cache = new Informer<ApiObject>({ ...this.#deps, type, transform: keepMetadata });
    const stop = new AbortController();
    this.#own.set(resourceNameOf(type), stop);
    this.#adopt(cache);
    void cache.start(AbortSignal.any([signal, stop.signal]));
  }

  #adopt(cache: ObjectCache): void {
    this.#known.set(resourceNameOf(cache.type), cache);
    cache.addHandler(this.#handlerOf(cache.type));
  }
}
