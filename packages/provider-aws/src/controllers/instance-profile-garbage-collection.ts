import { type EC2NodeClass, INSTANCE_PROFILE_NAME } from '@karpenter-ts/apis';
import type { ProviderCaches } from '@karpenter-ts/cloudprovider';
import { combineErrors, type Controller, MINUTE, singleton } from '@karpenter-ts/runtime';
import type { InstanceProfiles } from '../instance-profiles/instance-profiles.ts';
import { clusterPath, type ProfileOwner } from '../instance-profiles/profile-names.ts';
import { isManagedNodeClaim } from '../node-class/managed.ts';

export interface ProfileGarbageCollectionDeps {
  readonly profiles: Pick<InstanceProfiles, 'list' | 'isProtected' | 'delete'>;
  readonly owner: ProfileOwner;
  readonly nodeClaims: Pick<ProviderCaches['nodeClaims'], 'list'>;
  readonly nodeClasses: { list(): readonly EC2NodeClass[] };
}

const PERIOD = 30 * MINUTE;

/**
 * Deletes the cluster's instance profiles that nothing uses any more: those of roles that NodeClasses had before, once the
 * last NodeClaim with them is gone (spec 08 §8.3). IAM is asked before the caches are looked at, so that what has just
 * come into use is found there. One that cannot be deleted does not keep the others.
 */
export function profileGarbageCollectionController(deps: ProfileGarbageCollectionDeps): Controller {
  const { profiles, owner } = deps;
  return singleton('instanceprofile.garbagecollection', async (signal, logger) => {
    const errors: unknown[] = [];
    const listed = await profiles.list(clusterPath(owner), signal);
    const used = namesInUse(deps);
    for (const { name } of listed) {
      // Looking once more through all NodeClaims is for the few that are to go: others may have come into use since.
      if (used.has(name) || profiles.isProtected(name) || namesInUse(deps).has(name)) continue;
      try {
        await profiles.delete(name, signal);
        logger.debug('deleted instance profile', { 'instance-profile': name });
      } catch (error) {
        signal.throwIfAborted();
        errors.push(error);
      }
    }
    if (errors.length > 0) throw combineErrors(errors);
    return { requeueAfter: PERIOD };
  });
}

function namesInUse({ nodeClaims, nodeClasses }: ProfileGarbageCollectionDeps): ReadonlySet<string | undefined> {
  const managed = nodeClaims.list().filter(isManagedNodeClaim);
  return new Set([
    ...nodeClasses.list().map(({ status }) => status?.instanceProfile),
    ...managed.map(({ metadata }) => metadata.annotations?.[INSTANCE_PROFILE_NAME]),
  ]);
}
