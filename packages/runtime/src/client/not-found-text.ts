import type { ResourceType } from '@karpenter-ts/kubernetes';

/** What upstream's caches say of an object they do not have: the kind stands where a server names the resource. */
export function notFoundText({ group, kind }: ResourceType, name: string): string {
  return `${group === '' ? kind : `${kind}.${group}`} "${name}" not found`;
}
