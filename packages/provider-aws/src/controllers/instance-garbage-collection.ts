import { NODE_CLAIMS, type NodeClaim, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { type CloudProvider, NodeClaimNotFoundError, type ProviderCaches } from '@karpenter-ts/cloudprovider';
import { instantOf, NODES } from '@karpenter-ts/kubernetes';
import {
  type CancellableClient,
  type Clock,
  combineErrors,
  type Controller,
  findCause,
  type Instant,
  isNotFound,
  LoggedRef,
  type Logger,
  MINUTE,
  runParallel,
  SECOND,
  singleton,
} from '@karpenter-ts/runtime';
import { findInstanceId } from '../instances/provider-id.ts';

export interface InstanceGarbageCollectionDeps {
  readonly provider: Pick<CloudProvider, 'list' | 'delete'>;
  readonly client: CancellableClient;
  readonly caches: {
    readonly nodeClaims: Pick<ProviderCaches['nodeClaims'], 'list'>;
    readonly nodes: Pick<ProviderCaches['nodes'], 'byIndex'>;
  };
  readonly clock: Clock;
}

/** A younger instance may only not have been entered in its NodeClaim yet. */
const LEAST_AGE = 30 * SECOND;

/** What a stop of the process left behind is looked for more often. */
const FIRST_PASSES = 20;
const FIRST_PERIOD = 10 * SECOND;
const PERIOD = 2 * MINUTE;
const PARALLEL = 100;

/**
 * Terminates instances that no NodeClaim has, and deletes their Nodes (spec 07 §22.1). The cloud is asked before the
 * NodeClaims are looked at, so that an instance that was just launched is not missed there.
 */
export function instanceGarbageCollectionController(deps: InstanceGarbageCollectionDeps): Controller {
  let successes = 0;
  return singleton('instance.garbagecollection', async (signal, logger) => {
    const instances = await deps.provider.list(signal);
    const suspects = findOrphans(instances, deps.caches.nodeClaims.list(), deps.clock.now());
    const orphans = suspects.length === 0 ? [] : await confirmOrphans(suspects, deps, signal);
    const errors = await runParallel(orphans, PARALLEL, (orphan) => collect(orphan, deps, { signal, logger }));
    if (errors.length > 0) throw combineErrors(errors);
    successes++;
    return { requeueAfter: successes <= FIRST_PASSES ? FIRST_PERIOD : PERIOD };
  });
}

/** The cache may lag behind, and an instance that is terminated by mistake does not come back. */
async function confirmOrphans(
  suspects: readonly NodeClaim[],
  { client, clock }: InstanceGarbageCollectionDeps,
  signal: AbortSignal,
): Promise<readonly NodeClaim[]> {
  const { items } = await client.listAll<NodeClaim>(NODE_CLAIMS, {}, signal);
  return findOrphans(suspects, items, clock.now());
}

/** The instances, given as NodeClaims, that no NodeClaim has, nor may turn out to have. */
function findOrphans(
  instances: readonly NodeClaim[],
  nodeClaims: readonly NodeClaim[],
  now: Instant,
): readonly NodeClaim[] {
  const owned = new Set(nodeClaims.map(({ status }) => findInstanceId(status?.providerID)));
  const launching = nodeClaims.filter(({ status }) => !status?.providerID);
  return instances.filter(
    (instance) =>
      instance.metadata.deletionTimestamp === undefined &&
      isOldEnough(instance, now) &&
      !owned.has(findInstanceId(instance.status?.providerID)) &&
      !launching.some((nodeClaim) => mayHaveLaunched(nodeClaim, instance)),
  );
}

/**
 * Whether a NodeClaim that names no instance may have launched this one, and only its status was not written. A launch
 * that takes too long ends with the deletion of the NodeClaim, so that the instance is collected at last.
 */
function mayHaveLaunched({ metadata }: NodeClaim, instance: NodeClaim): boolean {
  const created = instantOf(metadata.creationTimestamp) ?? 0;
  const isOfPool = metadata.labels?.[NODEPOOL_LABEL] === instance.metadata.labels?.[NODEPOOL_LABEL];
  return isOfPool && created <= launchTimeOf(instance) + LEAST_AGE; // the clocks of EC2 and the API server differ
}

/** An instance whose launch EC2 has not dated is not judged. */
function isOldEnough(instance: NodeClaim, now: Instant): boolean {
  const launched = launchTimeOf(instance);
  return launched > 0 && now - launched > LEAST_AGE;
}

function launchTimeOf({ metadata }: NodeClaim): Instant {
  return instantOf(metadata.creationTimestamp) ?? 0;
}

/** An instance that has gone in the meantime is nobody's business any more, and its Node is left to others. */
async function collect(
  orphan: NodeClaim,
  { provider, client, caches }: InstanceGarbageCollectionDeps,
  { signal, logger }: { readonly signal: AbortSignal; readonly logger: Logger },
): Promise<void> {
  const providerId = orphan.status?.providerID ?? '';
  const about = { 'provider-id': providerId };
  try {
    await provider.delete(orphan, signal);
  } catch (error) {
    if (findCause(error, NodeClaimNotFoundError) !== undefined) return;
    throw error;
  }
  logger.debug('garbage collected cloudprovider instance', about);
  for (const { metadata } of caches.nodes.byIndex('providerId', providerId)) {
    try {
      await client.delete(NODES, { name: metadata.name }, {}, signal);
    } catch (error) {
      if (isNotFound(error)) continue;
      throw error;
    }
    logger.debug('garbage collected node', { ...about, Node: new LoggedRef(metadata) });
  }
}
