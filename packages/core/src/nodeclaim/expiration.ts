import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { nanosToMilliseconds, parseNillableDuration } from '@karpenter-ts/kubernetes';
import { type Controller, DONE, type Instant, kindSource, scaleConcurrency } from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNodeClaim } from '../state/managed.ts';
import { withNodeName } from './nodeclaim-logger.ts';
import type { NodeClaimDeletions } from './deletions.ts';

/**
 * When the NodeClaim expires; undefined if never. Only the NodeClaim's own `expireAfter` counts, not its NodePool's.
 */
export function expiryOf({ metadata, spec }: NodeClaim): Instant | undefined {
  const lifetime = parseNillableDuration(spec.expireAfter);
  if (lifetime === undefined) return undefined;
  return Date.parse(metadata.creationTimestamp ?? '') + nanosToMilliseconds(lifetime);
}

/**
 * Deletes NodeClaims that have reached `expireAfter`, regardless of budgets and pods (spec 03 §9). Several at a time,
 * unlike upstream.
 */
export function expirationController(core: ControllerDeps & { readonly deletions: NodeClaimDeletions }): Controller {
  const { caches, clock, deletions, options, provider } = core;
  return {
    name: 'nodeclaim.expiration',
    kind: NODE_CLAIMS,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    sources: [kindSource(caches.nodeClaims, { when: ({ object }) => isManagedNodeClaim(object, provider) })],
    reconcile: async (name, signal, logger) => {
      const nodeClaim = caches.nodeClaims.get(name);
      if (nodeClaim === undefined || !isManagedNodeClaim(nodeClaim, provider)) return DONE;
      const expiry = nodeClaim.metadata.deletionTimestamp === undefined ? expiryOf(nodeClaim) : undefined;
      if (expiry === undefined) return DONE;
      const left = expiry - clock.now();
      if (left > 0) return { requeueAfter: left };
      const result = await deletions.request(nodeClaim, 'expired', signal);
      if (result === 'deleted') withNodeName(logger, nodeClaim).debug('deleting expired nodeclaim');
      return DONE;
    },
  };
}
