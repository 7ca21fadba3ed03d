import { CAPACITY_TYPE_LABEL, NODE_CLAIMS, type NodeClaim, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { parseDuration } from '@karpenter-ts/kubernetes';
import { defineCounter, ExpiringMap, isNotFound, MINUTE, snakeCase } from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { reschedulablePodsOn } from '../pods/reschedulable-pods.ts';

export const nodeClaimsDisrupted = defineCounter(
  'karpenter_nodeclaims_disrupted_total',
  ['reason', 'nodepool', 'capacity_type'],
  'Number of nodeclaims disrupted in total by Karpenter. Labeled by reason the nodeclaim was disrupted and the owning nodepool.',
);

/** New in upstream 1.15, with that release's labels. The policy is empty unless consolidation decided. */
export const podsDisrupted = defineCounter(
  'karpenter_pods_disruption_initiated_total',
  ['reason', 'nodepool', 'capacity_type', 'consolidation_policy', 'termination_mode'],
  'Number of reschedulable pods on nodes whose disruption began. Labeled as the disruption of the nodeclaim.',
);

/**
 * Why Karpenter deletes a NodeClaim; a label of metrics. These are the reasons of the lifecycle. Disruption adds those of
 * its methods, and a provider those of its interruptions.
 */
export type DeletionReason =
  | 'expired'
  | 'garbage_collected'
  | 'insufficient_capacity'
  | 'launch_timeout'
  | 'nodeclass_not_ready'
  | 'registration_timeout'
  | 'unhealthy'
  | (string & {});

/** A deletion that consolidation decided, by this policy of the NodePool. */
export interface ConsolidationCause {
  readonly reason: DeletionReason;
  readonly consolidationPolicy: string;
}

/** What a request to delete a NodeClaim found. */
export type DeletionResult =
  /** This request deleted it. */
  | 'deleted'
  /** Its deletion was requested before, by whomever. */
  | 'already-deleting'
  /** It no longer exists. */
  | 'gone';

/** How long the cache may lag behind a deletion. */
const CACHE_LAG = 1 * MINUTE;

/** Deletes NodeClaims. Each is requested and counted once, however long the cache takes to show it. */
export class NodeClaimDeletions {
  readonly #core: Pick<ControllerDeps, 'client' | 'caches' | 'metrics'>;
  readonly #requested: ExpiringMap<string, true>; // by uid

  constructor(core: Pick<ControllerDeps, 'client' | 'caches' | 'metrics' | 'clock'>) {
    this.#core = core;
    this.#requested = new ExpiringMap(core.clock, CACHE_LAG);
  }

  /** Deletes the NodeClaim. A new NodeClaim of the same name is not touched. */
  async request(
    nodeClaim: NodeClaim,
    cause: DeletionReason | ConsolidationCause,
    signal: AbortSignal,
  ): Promise<DeletionResult> {
    const { name, uid = '', deletionTimestamp } = nodeClaim.metadata;
    if (deletionTimestamp !== undefined || this.#requested.has(uid)) return 'already-deleting';
    this.#requested.set(uid, true);
    try {
      await this.#core.client.delete(NODE_CLAIMS, { name }, { preconditions: { uid } }, signal);
    } catch (error) {
      this.#requested.delete(uid);
      if (isNotFound(error)) return 'gone';
      throw error;
    }
    this.#count(nodeClaim, typeof cause === 'string' ? { reason: cause, consolidationPolicy: '' } : cause);
    return 'deleted';
  }

  #count({ metadata, spec, status }: NodeClaim, { reason, consolidationPolicy }: ConsolidationCause): void {
    const { caches, metrics } = this.#core;
    const labels = {
      reason,
      nodepool: metadata.labels?.[NODEPOOL_LABEL] ?? '',
      capacity_type: metadata.labels?.[CAPACITY_TYPE_LABEL] ?? '',
    };
    metrics.increment(nodeClaimsDisrupted, labels);
    const pods = reschedulablePodsOn(status?.nodeName ?? '', caches).length;
    if (pods === 0) return;
    const termination_mode = terminationMode(spec.terminationGracePeriod);
    const consolidation_policy = snakeCase(consolidationPolicy);
    metrics.increment(podsDisrupted, { ...labels, consolidation_policy, termination_mode }, pods);
  }
}

/** How long pods may take to terminate: as long as they need, a limited time, or no time. */
function terminationMode(gracePeriod: string | undefined): 'graceful' | 'forceful' | 'eventual' {
  if (gracePeriod === undefined) return 'graceful';
  return parseDuration(gracePeriod) <= 0n ? 'forceful' : 'eventual';
}
