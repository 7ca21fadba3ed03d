import type { ResourceType } from '@karpenter-ts/kubernetes';

/**
 * Upstream's message for an object that its cache does not have. Unlike a server's message, it names the kind, not the
 * resource.
 */
export function notFoundText({ group, kind }: ResourceType, name: string): string {
  return `${group === '' ? kind : `${kind}.${group}`} "${name}" not found`;
}
