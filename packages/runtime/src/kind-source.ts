import { type ApiObject, objectKey } from '@karpenter-ts/kubernetes';
import type { Source } from './controller.ts';
import type { Informer } from './informer/informer.ts';
import { LOW_PRIORITY, NORMAL_PRIORITY } from './queue/work-queue.ts';

/** What happened to an object. */
export type Change<T> =
  | { readonly type: 'added'; readonly object: T; readonly isInitial: boolean }
  | { readonly type: 'updated'; readonly object: T; readonly old: T }
  | { readonly type: 'deleted'; readonly object: T };

export interface KindSourceOptions<T> {
  /** Which changes to use; all by default. */
  readonly when?: (change: Change<T>) => boolean;
  /** The keys for an object, by default its own. An update adds the keys of both states. */
  readonly keys?: (object: T) => Iterable<string>;
}

/**
 * A source of keys from the changes of a kind. Objects of the initial list, and resyncs without a change, have low
 * priority, so a real change never waits for them.
 */
export function kindSource<T extends ApiObject>(
  informer: Pick<Informer<T>, 'type' | 'start' | 'hasSynced' | 'addHandlerInTurns'>,
  { when = () => true, keys = (object) => [objectKey(object.metadata)] }: KindSourceOptions<T> = {},
): Source {
  const kind = `*${informer.type.version}.${informer.type.kind}`; // as upstream's logs have it
  return {
    name: `kind source: ${kind}`,
    watched: { kind, cache: informer },
    attach(queue) {
      const enqueue = (change: Change<T>): void => {
        if (!when(change)) return;
        const priority = isRealChange(change) ? NORMAL_PRIORITY : LOW_PRIORITY;
        for (const key of keys(change.object)) queue.add(key, priority);
        if (change.type === 'updated') for (const key of keys(change.old)) queue.add(key, priority);
      };
      return informer.addHandlerInTurns({
        onAdd: (object, isInitial) => enqueue({ type: 'added', object, isInitial }),
        onUpdate: (old, object) => enqueue({ type: 'updated', old, object }),
        onDelete: (object) => enqueue({ type: 'deleted', object }),
      });
    },
  };
}

function isRealChange(change: Change<ApiObject>): boolean {
  switch (change.type) {
    case 'added':
      return !change.isInitial;
    case 'updated':
      return change.old.metadata.resourceVersion !== change.object.metadata.resourceVersion;
    case 'deleted':
      return true;
    default:
      return change satisfies never;
  }
}
