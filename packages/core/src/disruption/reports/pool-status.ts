import { isExtensionOn, NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import { timestamp } from '@karpenter-ts/kubernetes';
import {
  type Controller,
  DONE,
  ExpiringMap,
  HOUR,
  kindSource,
  mergePatchOf,
  SECOND,
  unlessGone,
} from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { isManagedNodePool } from '../../state/managed.ts';
import { nextAllowanceChange } from '../budgets/allowed-nodes.ts';
import type { BudgetAllowances } from '../budgets/budget-allowances.ts';
import type { DisruptionState } from '../view/disruption-state.ts';

/** What the status of a NodePool says about disruption (spec 09 C5). */
export type PoolDisruption = NonNullable<NonNullable<NodePool['status']>['disruption']>;

/** What budgets and windows allow, for the status of each NodePool, by name. */
export function findPoolDisruptions(
  { pools, now }: Pick<DisruptionState, 'pools' | 'now'>,
  allowances: readonly Pick<BudgetAllowances, 'reason' | 'byPool'>[],
): ReadonlyMap<string, PoolDisruption> {
  const byPool = new Map<string, PoolDisruption>();
  for (const [name, pool] of pools) {
    const reasons = allowances.map(({ reason, byPool }) => {
      const { allowed, disrupting } = byPool.get(name)!;
      const nextChange = nextAllowanceChange(pool, { reason, now });
      return { reason, allowed, disrupting, ...(nextChange !== undefined && { nextChange: timestamp(nextChange) }) };
    });
    byPool.set(name, { reasons });
  }
  return byPool;
}

/** Hands what the last pass found to the controller that writes it. */
export class LastPoolDisruptions {
  #byPool: ReadonlyMap<string, PoolDisruption> = new Map();

  note(byPool: ReadonlyMap<string, PoolDisruption>): void {
    this.#byPool = byPool;
  }

  of(nodePool: string): PoolDisruption | undefined {
    return this.#byPool.get(nodePool);
  }
}

const PERIOD = 10 * SECOND;

/**
 * Keeps what the last pass found in the status of NodePools. Upstream's CRD does not have the field, so that the API
 * server drops it: the status comes back without it, and nothing more is written to this NodePool for an hour.
 */
export function poolStatusController(
  { caches, client, clock, options, provider }: ControllerDeps,
  last: Pick<LastPoolDisruptions, 'of'>,
): Controller {
  const dropped = new ExpiringMap<string, true>(clock, HOUR);
  return {
    name: 'nodepool.disruption',
    kind: NODE_POOLS,
    concurrency: 10,
    sources: [
      kindSource(caches.nodePools, {
        when: ({ type, object }) => type === 'added' && isManagedNodePool(object, provider),
      }),
    ],
    reconcile: async (name, signal) => {
      const nodePool = caches.nodePools.get(name);
      if (nodePool === undefined || !isManagedNodePool(nodePool, provider)) return DONE;
      const wanted = isExtensionOn(options.extensions, 'C5') ? last.of(name) : undefined;
      if (wanted === undefined || dropped.has(name)) return { requeueAfter: PERIOD };
      const { status } = nodePool;
      const change = mergePatchOf(status, { ...status, disruption: wanted });
      if (change === undefined) return { requeueAfter: PERIOD };
      const patch = { type: 'merge', body: { status: change } } as const;
      const written = await unlessGone(
        client.patch<NodePool>(NODE_POOLS, { name }, patch, { subresource: 'status' }, signal),
      );
      if (written !== undefined && written.status?.disruption === undefined) dropped.set(name, true);
      return { requeueAfter: PERIOD };
    },
  };
}
