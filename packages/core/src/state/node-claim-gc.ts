import { type Controller, DONE, LoggedRef, SECOND } from '@karpenter-ts/runtime';
import type { Core } from './controller-deps.ts';
import type { ClusterModel } from './cluster-model.ts';

/** By then the caches have seen a NodeClaim that exists. */
const PATIENCE = 15 * SECOND; // spec 03 §12.1

/**
 * Forgets NodeClaims that were deleted before the model took them in: their deletion has been told already, so that it
 * would wait for their launch for ever. The name is that of upstream's next release.
 */
export function nodeClaimGcController({ caches }: Pick<Core, 'caches'>, cluster: ClusterModel): Controller {
  return {
    name: 'state.nodeclaimgc',
    kind: { group: 'karpenter.sh', kind: 'NodeClaim' },
    sources: [
      {
        name: 'kind source: *v1.NodeClaim',
        attach: (queue) => cluster.onTrack((nodeClaim) => queue.addAfter(nodeClaim, PATIENCE)),
      },
    ],
    reconcile: async (name, _signal, logger) => {
      if (caches.nodeClaims.get(name) !== undefined || !cluster.isUnlaunched(name)) return DONE;
      logger.debug('garbage collecting stale unlaunched nodeclaim from cluster state', {
        NodeClaim: new LoggedRef({ name }),
      });
      cluster.drop(name);
      return DONE;
    },
  };
}
