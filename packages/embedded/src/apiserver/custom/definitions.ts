import { withMetadata } from '../object.ts';
import type { Registry } from '../registry.ts';
import type { Change } from '../storage/change-log.ts';
import type { Strategy } from '../strategy.ts';
import type { WriteContext } from '../verbs/create.ts';
import { remove } from '../verbs/delete.ts';
import { CLEANUP_FINALIZER } from './crd-rules.ts';

const STORAGE = 'apiextensions.k8s.io/customresourcedefinitions';

/** Keeps the registry in step with the CustomResourceDefinitions, and deletes the objects of deleted definitions. */
export class Definitions {
  readonly #context: WriteContext;
  readonly #registry: Registry;
  readonly #strategy: Strategy;
  #seen = 0; // the place in the log of definitions up to which all is done

  constructor(context: WriteContext, registry: Registry) {
    this.#context = context;
    this.#registry = registry;
    this.#strategy = registry.get('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
  }

  /** From now on. */
  follow(): void {
    this.#context.objects.store.collection(STORAGE).listen(() => this.#catchUp());
  }

  #catchUp(): void {
    const { log } = this.#context.objects.store.collection(STORAGE);
    while (this.#seen < log.end) this.#apply(log.at(this.#seen++)!);
  }

  #apply({ before, after }: Change): void {
    const { objects } = this.#context;
    const { key } = (after ?? before)!;
    const definition = objects.find(STORAGE, key);
    if (after === undefined || definition === undefined) {
      for (const { storage } of this.#registry.defined(key)) objects.store.drop(storage);
      this.#registry.undefine(key);
      return;
    }
    this.#registry.define(definition);
    const [strategy] = this.#registry.defined(key);
    if (strategy === undefined) return;
    const collection = objects.collection(strategy); // exists from now on, so that watches know where they begin
    if (!before) collection.listen(() => queueMicrotask(() => this.#finish(key)));
    // Deferred, so that the deletion of the definition is answered first.
    if (definition.metadata.deletionTimestamp) queueMicrotask(() => this.#empty(key));
  }

  /** Deletes the objects of a definition, in any of its versions. */
  #empty(name: string): void {
    const [strategy] = this.#registry.defined(name);
    if (strategy === undefined) return;
    const { objects } = this.#context;
    for (const { key } of Array.from(objects.collection(strategy).range(''))) {
      const object = objects.get(strategy, key);
      if (object === undefined || object.metadata.deletionTimestamp) continue;
      const { namespace, name: instance } = object.metadata;
      remove(this.#context, { strategy, namespace, name: instance, dryRun: false }, { dryRun: false });
    }
    this.#finish(name);
  }

  /** Removes the finalizer of a deleted definition once its last object is gone. */
  #finish(name: string): void {
    const { objects } = this.#context;
    const [strategy] = this.#registry.defined(name);
    const definition = objects.find(STORAGE, name);
    if (!strategy || !definition?.metadata.deletionTimestamp || objects.collection(strategy).size > 0) return;
    const held = definition.metadata.finalizers ?? [];
    if (!held.includes(CLEANUP_FINALIZER)) return;
    const finalizers = held.filter((one) => one !== CLEANUP_FINALIZER);
    const next = withMetadata(definition, { finalizers: finalizers.length > 0 ? finalizers : undefined });
    if (finalizers.length > 0) objects.put(this.#strategy, next);
    else objects.remove(this.#strategy, next);
  }
}
