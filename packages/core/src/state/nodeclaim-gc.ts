import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { type Controller, DONE, LoggedRef, SECOND, unlessGone } from '@karpenter-ts/runtime';
import type { ClusterModel } from './cluster-model.ts';
import type { ControllerDeps } from './controller-deps.ts';

/** By then the caches have seen a NodeClaim that exists, unless their watch lags. */
const CACHE_LAG = 15 * SECOND; // spec 03 §12.1

/**
 * Forgets NodeClaims that were deleted before the model tracked them. The model would wait for their launch for ever,
 * because their deletion event has passed already. The API server is asked before one is forgotten: a cache may lag
 * longer, and forgetting a NodeClaim that exists would buy its capacity twice. The controller's name is that of
 * upstream's next release.
 */
export function nodeClaimGcController(
  { caches, client }: Pick<ControllerDeps, 'caches' | 'client'>,
  cluster: ClusterModel,
): Controller {
  return {
    name: 'state.nodeclaimgc',
    kind: { group: 'karpenter.sh', kind: 'NodeClaim' },
    sources: [
      {
        name: 'kind source: *v1.NodeClaim',
        attach: (queue) => cluster.onTrack((nodeClaim) => queue.addAfter(nodeClaim, CACHE_LAG)),
      },
    ],
    reconcile: async (name, signal, logger) => {
      const isUpToDate = (): boolean => caches.nodeClaims.get(name) !== undefined || !cluster.isUnlaunched(name);
      if (isUpToDate()) return DONE;
      const found = await unlessGone(client.get<NodeClaim>(NODE_CLAIMS, { name }, {}, signal));
      if (found !== undefined) return { requeueAfter: CACHE_LAG };
      if (isUpToDate()) return DONE; // the cache has it now and will see its deletion
      logger.debug('garbage collecting stale unlaunched nodeclaim from cluster state', {
        NodeClaim: new LoggedRef({ name }),
      });
      cluster.drop(name);
      return DONE;
    },
  };
}
