import { CAPACITY_TYPE_LABEL, NODE_CLAIMS, type NodeClaim, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { parseDuration } from '@karpenter-ts/kubernetes';
import {
  defineCounter,
  ExpiringMap,
  isConflict,
  isNotFound,
  MINUTE,
  snakeCase,
  unlessGone,
} from '@karpenter-ts/runtime';
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

/**
 * Deletes NodeClaims. Each is deleted and counted once, however long the cache takes to show it, and however many
 * controllers want to.
 */
export class NodeClaimDeletions {
  readonly #core: Pick<ControllerDeps, 'client' | 'caches' | 'metrics'>;
  readonly #deleted: ExpiringMap<string, true>; // by uid
  readonly #underWay = new Map<string, Promise<unknown>>(); // by uid

  constructor(core: Pick<ControllerDeps, 'client' | 'caches' | 'metrics' | 'clock'>) {
    this.#core = core;
    this.#deleted = new ExpiringMap(core.clock, CACHE_LAG);
  }

  /**
   * Deletes the NodeClaim. A new NodeClaim of the same name is not touched. While a request of another controller is
   * under way, its end is awaited, and if it fails, this one is made. Otherwise the caller would take for deleted what
   * is not, and never come back to it.
   */
  async request(
    nodeClaim: NodeClaim,
    cause: DeletionReason | ConsolidationCause,
    signal: AbortSignal,
  ): Promise<DeletionResult> {
    const { uid = '', deletionTimestamp } = nodeClaim.metadata;
    for (let other = this.#underWay.get(uid); other !== undefined; other = this.#underWay.get(uid)) {
      await other.catch(() => undefined);
    }
    if (deletionTimestamp !== undefined || this.#deleted.has(uid)) return 'already-deleting';
    const deletion = this.#delete(nodeClaim, signal).finally(() => this.#underWay.delete(uid));
    this.#underWay.set(uid, deletion);
    const result = await deletion;
    if (result === 'deleted') {
      this.#count(nodeClaim, typeof cause === 'string' ? { reason: cause, consolidationPolicy: '' } : cause);
    }
    return result;
  }

  async #delete({ metadata }: NodeClaim, signal: AbortSignal): Promise<DeletionResult> {
    const { name, uid = '' } = metadata;
    try {
      await this.#core.client.delete(NODE_CLAIMS, { name }, { preconditions: { uid } }, signal);
    } catch (error) {
      if (isNotFound(error)) return 'gone';
      if (isConflict(error) && (await this.#isReplaced(metadata, signal))) return 'gone';
      throw error;
    }
    this.#deleted.set(uid, true);
    return 'deleted';
  }

  /**
   * Whether the name is free, or another NodeClaim has it. That is what a conflict is about as a rule, but webhooks and
   * proxies answer with it for reasons of their own, and what was not deleted must be tried again.
   */
  async #isReplaced({ name, uid }: NodeClaim['metadata'], signal: AbortSignal): Promise<boolean> {
    const present = await unlessGone(this.#core.client.get<NodeClaim>(NODE_CLAIMS, { name }, {}, signal));
    return present?.metadata.uid !== uid;
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
