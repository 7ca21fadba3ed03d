import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { Informer, Source } from '@karpenter-ts/runtime';

/** For a controller that only reads a kind: no keys come from it, but it has synced before the first pass. */
export function readSource<T extends ApiObject>(cache: Pick<Informer<T>, 'type' | 'start' | 'hasSynced'>): Source {
  const kind = `*${cache.type.version}.${cache.type.kind}`;
  return { name: `read source: ${kind}`, watched: { kind, cache }, attach: () => undefined };
}
