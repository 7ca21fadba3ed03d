import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { Informer, Source } from '@karpenter-ts/runtime';

/**
 * A source for a kind that a controller only reads: it enqueues nothing, but it has synced before the first reconcile.
 */
export function readSource<T extends ApiObject>(cache: Pick<Informer<T>, 'type' | 'start' | 'hasSynced'>): Source {
  const kind = `*${cache.type.version}.${cache.type.kind}`;
  return { name: `read source: ${kind}`, watched: { kind, cache }, attach: () => undefined };
}
