import { isTrue } from '@karpenter-ts/kubernetes';
import type { NodeClaim } from '@karpenter-ts/apis';
import {
  combineErrors,
  type Controller,
  LoggedRef,
  type Logger,
  MINUTE,
  runParallel,
  singleton,
} from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isReady } from '../kinds/node.ts';
import { findNode } from '../state/node-nodeclaim-links.ts';
import { isManagedNodeClaim } from '../state/managed.ts';
import type { NodeClaimDeletions } from './deletions.ts';

const PERIOD = 2 * MINUTE;
const PARALLEL = 20;

/**
 * Deletes NodeClaims whose instance the cloud no longer lists (spec 03 §10), unless the Node is still Ready: then the
 * list is wrong. A NodeClaim that is not registered is left to its registration timeout, because a new instance may not
 * be listed yet.
 */
export function garbageCollectionController(
  core: ControllerDeps & { readonly deletions: NodeClaimDeletions },
): Controller {
  const { caches, deletions, provider } = core;
  return singleton('nodeclaim.garbagecollection', async (signal, logger) => {
    const candidates = caches.nodeClaims.list().filter((nodeClaim) => isCandidate(nodeClaim, core));
    const instances = await provider.list(signal);
    const known = new Set(instances.filter(isStaying).map(({ status }) => status?.providerID));
    const lost = candidates.filter(({ status }) => !known.has(status?.providerID));
    const errors = await runParallel(lost, PARALLEL, async (nodeClaim) => {
      const node = findNode(nodeClaim, caches);
      if (node !== undefined && isReady(node)) return;
      const result = await deletions.request(nodeClaim, 'garbage_collected', signal);
      if (result === 'deleted') logLoss(nodeClaim, logger);
    });
    if (errors.length > 0) throw combineErrors(errors);
    return { requeueAfter: PERIOD };
  });
}

function isCandidate(nodeClaim: NodeClaim, { provider }: ControllerDeps): boolean {
  return isStaying(nodeClaim) && isTrue(nodeClaim, 'Registered') && isManagedNodeClaim(nodeClaim, provider);
}

function isStaying({ metadata }: NodeClaim): boolean {
  return metadata.deletionTimestamp === undefined;
}

function logLoss({ metadata, status }: NodeClaim, logger: Logger): void {
  logger.debug('garbage collecting nodeclaim with no cloudprovider representation', {
    NodeClaim: new LoggedRef({ name: metadata.name }),
    Node: new LoggedRef({ name: status?.nodeName ?? '' }),
    'provider-id': status?.providerID ?? '',
  });
}
