import { compareByWeight, type NodePool } from '@karpenter-ts/apis';
import { isTrue, READY } from '@karpenter-ts/kubernetes';
import { type CloudProvider, UnevaluatedNodePoolError } from '@karpenter-ts/cloudprovider';
import { findCause, LoggedRef, type Logger } from '@karpenter-ts/runtime';
import type { InstanceType, Pool } from '@karpenter-ts/scheduling';
import type { Caches } from '../state/caches.ts';
import { isManagedNodePool } from '../state/managed.ts';

export interface PoolDeps {
  readonly caches: Pick<Caches, 'nodePools'>;
  readonly provider: CloudProvider;
  readonly logger: Logger;
}

/**
 * The NodePools that nodes may be created from, highest weight first, with their instance types (spec 02 §7). A
 * NodePool whose instance types could not be listed is included without any, because pods still take it into account.
 * Rejects if listing takes too long.
 */
export async function findUsablePools(deps: PoolDeps, signal: AbortSignal): Promise<readonly Pool[]> {
  const { caches, provider, logger } = deps;
  const nodePools = caches.nodePools
    .list()
    .filter((nodePool) => isManagedNodePool(nodePool, provider) && isUsable(nodePool, logger))
    .sort(compareByWeight);
  return Promise.all(
    nodePools.map(async (nodePool) => ({
      nodePool,
      instanceTypes: await offeredTo(nodePool, provider, logger.with({ NodePool: refOf(nodePool) }), signal),
    })),
  );
}

/** Not static, ready and not deleting. */
function isUsable(nodePool: NodePool, logger: Logger): boolean {
  if (nodePool.spec.replicas !== undefined) return false;
  if (!isTrue(nodePool, READY)) {
    logger.error('ignoring nodepool, not ready', undefined, { NodePool: refOf(nodePool) });
    return false;
  }
  return nodePool.metadata.deletionTimestamp === undefined;
}

async function offeredTo(
  nodePool: NodePool,
  provider: CloudProvider,
  logger: Logger,
  signal: AbortSignal,
): Promise<readonly InstanceType[]> {
  try {
    const instanceTypes = await provider.instanceTypes(nodePool, signal);
    if (instanceTypes.length === 0) logger.info('skipping, no resolved instance types found');
    return instanceTypes;
  } catch (error) {
    signal.throwIfAborted();
    if (isTimeout(error)) throw new Error(`getting instance types, ${error.message}`, { cause: error });
    if (findCause(error, UnevaluatedNodePoolError)) logger.debug('skipping, awaiting nodeoverlay evaluation');
    else logger.error('skipping, unable to resolve instance types', error);
    return NONE;
  }
}

/** Always the same array, so that it is indexed once. */
const NONE: readonly InstanceType[] = [];

/** The error that `AbortSignal.timeout` rejects with. */
function isTimeout(error: unknown): error is Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause.name === 'TimeoutError') return true;
  return false;
}

function refOf({ metadata }: NodePool): LoggedRef {
  return new LoggedRef({ name: metadata.name });
}
