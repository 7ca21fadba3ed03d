import {
  CAPACITY_TYPE_LABEL,
  NODE_CLAIMS,
  NODE_POOLS,
  type NodeClaim,
  NODEPOOL_LABEL,
  TERMINATION_TIMESTAMP,
} from '@karpenter-ts/apis';
import {
  type Change,
  type Controller,
  defineCounter,
  DONE,
  type EventSubject,
  isNotFound,
  kindSource,
  LoggedRef,
  type Logger,
  MINUTE,
  REASONABLE_RETRIES,
  type Result,
  scaleConcurrency,
  snakeCase,
  subjectOf,
} from '@karpenter-ts/runtime';
import { type Node, NODES, timestamp } from '@karpenter-ts/kubernetes';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { findNodeClaim } from '../state/node-nodeclaim-links.ts';
import { isManagedNode } from '../state/managed.ts';
import type { NodeClaimDeletions } from '../nodeclaim/deletions.ts';
import { findUnhealthyCondition, UnhealthyCounts } from './unhealthy-nodes.ts';

const repaired = defineCounter(
  'karpenter_nodeclaims_unhealthy_disrupted_total',
  ['condition', 'nodepool', 'capacity_type', 'image_id'],
  'Number of unhealthy nodeclaims disrupted in total by Karpenter. Labeled by condition on the node was disrupted, the owning nodepool, and the image ID.',
);

const BLOCKED_POLL = { requeueAfter: 5 * MINUTE };
const BLOCKED_DEDUPE = 15 * MINUTE;

/**
 * Deletes NodeClaims whose Node has been unhealthy for longer than the provider's repair policy tolerates (spec 03
 * §14).
 */
export function nodeHealth(core: ControllerDeps, deletions: NodeClaimDeletions): Controller {
  const { caches, options, provider } = core;
  const health = new NodeHealth(core, deletions);
  return {
    name: 'node.health',
    kind: { group: NODES.group, kind: NODES.kind },
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    retries: REASONABLE_RETRIES,
    sources: [
      kindSource(caches.nodes, {
        when: (change) => isManagedNode(change.object, provider) && areConditionsNew(change),
      }),
    ],
    reconcile: (name, signal, logger) => health.reconcile(name, signal, logger),
  };
}

class NodeHealth {
  readonly #core: ControllerDeps;
  readonly #deletions: NodeClaimDeletions;
  readonly #counts: UnhealthyCounts;

  constructor(core: ControllerDeps, deletions: NodeClaimDeletions) {
    this.#core = core;
    this.#deletions = deletions;
    this.#counts = new UnhealthyCounts(core.caches.nodes, core.provider.repairPolicies);
  }

  async reconcile(name: string, signal: AbortSignal, logger: Logger): Promise<Result> {
    const { caches, clock, provider } = this.#core;
    const node = caches.nodes.get(name);
    const nodeClaim = node && findNodeClaim(node, caches);
    if (node === undefined || nodeClaim === undefined) return DONE;
    const unhealthy = findUnhealthyCondition(node, provider.repairPolicies);
    if (unhealthy === undefined) return DONE;
    const now = clock.now();
    if (now < unhealthy.due) return { requeueAfter: unhealthy.due - now };
    if (this.#isBlocked(node, nodeClaim)) return BLOCKED_POLL;
    const ours = logger.with({ NodeClaim: new LoggedRef(nodeClaim.metadata) });
    return this.#repair(nodeClaim, unhealthy.condition, signal, ours);
  }

  /**
   * Whether too many Nodes are unhealthy, in the NodePool or, without one, in the cluster. Publishes an event once in a
   * while.
   */
  #isBlocked(node: Node, nodeClaim: NodeClaim): boolean {
    const pool = nodeClaim.metadata.labels?.[NODEPOOL_LABEL];
    if (!this.#counts.areTooMany(pool)) return false;
    const concerned = [subjectOf(NODES, node), subjectOf(NODE_CLAIMS, nodeClaim)];
    if (pool === undefined) {
      this.#tell(concerned, 'more then 20% nodes are unhealthy in the cluster');
    } else {
      const nodePool = this.#core.caches.nodePools.get(pool);
      if (nodePool === undefined) return true;
      this.#tell([...concerned, subjectOf(NODE_POOLS, nodePool)], 'more than 20% nodes are unhealthy in the nodepool');
    }
    return true;
  }

  #tell(subjects: readonly EventSubject[], message: string): void {
    for (const on of subjects) {
      this.#core.events.publish({
        on,
        type: 'Warning',
        reason: 'NodeRepairBlocked',
        message,
        dedupe: [on.uid ?? ''],
        dedupeTimeout: BLOCKED_DEDUPE,
      });
    }
  }

  async #repair(nodeClaim: NodeClaim, condition: string, signal: AbortSignal, logger: Logger): Promise<Result> {
    if (!(await this.#expireTermination(nodeClaim, signal, logger))) return DONE;
    if ((await this.#deletions.request(nodeClaim, 'unhealthy', signal)) !== 'deleted') return DONE;
    logger.info('deleting unhealthy node');
    const { labels } = nodeClaim.metadata;
    this.#core.metrics.increment(repaired, {
      condition: snakeCase(condition),
      nodepool: labels?.[NODEPOOL_LABEL] ?? '',
      capacity_type: labels?.[CAPACITY_TYPE_LABEL] ?? '',
      image_id: nodeClaim.status?.imageID ?? '',
    });
    return DONE;
  }

  /**
   * Sets the termination time to now, because pods on an unhealthy node must not delay its replacement. False if the
   * NodeClaim is gone.
   */
  async #expireTermination({ metadata }: NodeClaim, signal: AbortSignal, logger: Logger): Promise<boolean> {
    const { client, clock } = this.#core;
    const known = Date.parse(metadata.annotations?.[TERMINATION_TIMESTAMP] ?? '');
    if (known < clock.now()) return true;
    const text = timestamp(clock.now());
    const body = { metadata: { annotations: { [TERMINATION_TIMESTAMP]: text } } };
    try {
      await client.patch(NODE_CLAIMS, metadata, { type: 'merge', body }, {}, signal);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
    logger.info('annotated nodeclaim', { [TERMINATION_TIMESTAMP]: text });
    return true;
  }
}

/** Whether a condition has changed; heartbeats do not count. */
function areConditionsNew(change: Change<Node>): boolean {
  if (change.type !== 'updated') return true;
  const before = change.old.status?.conditions ?? [];
  const after = change.object.status?.conditions ?? [];
  if (before.length !== after.length) return true;
  return before.some((old) => {
    const now = after.find(({ type }) => type === old.type);
    return now?.status !== old.status || now.lastTransitionTime !== old.lastTransitionTime;
  });
}
