// What a new node could be bought as (spec 02 §§20–22).
import { CAPACITY_TYPE_LABEL, type Requirements } from '@karpenter-ts/apis';
import type { InstanceType, Offering } from '../../snapshot.ts';
import { allocatableOf, fits, type Nanos, requestsOf, sum } from './amounts.ts';
import { daemonsOnType } from './daemons.ts';
import {
  isTypeCompatible,
  type PlannedTarget,
  type PoolFacts,
  usableOfferings,
  type CheckedPlan,
} from './checked-plan.ts';

/** A way to buy the type exists on which all pods of the node and the daemons of that type fit. */
export function fitsOnType(target: PlannedTarget, type: InstanceType, checked: CheckedPlan): boolean {
  return canRun(target.requests, type, target.pool, beforeReserving(target, checked), checked);
}

/** Whether these requests and the type's daemons fit on it, bought in some way the requirements leave. */
export function canRun(
  requests: Nanos,
  type: InstanceType,
  pool: PoolFacts,
  requirements: Requirements,
  checked: CheckedPlan,
): boolean {
  if (!isTypeCompatible(type, requirements, checked.options.profile)) return false;
  const all = sum(requests, ...daemonsOnType(checked, pool, type).map(requestsOf));
  return usableOfferings(type, requirements, checked.options.profile).some((offering) =>
    fits(all, allocatableOf(type, offering)),
  );
}

/** The ways to buy the type for this node on which its pods and daemons fit, cheapest first. */
export function fittingOfferings(target: PlannedTarget, type: InstanceType, checked: CheckedPlan): readonly Offering[] {
  const all = sum(target.requests, ...daemonsOnType(checked, target.pool, type).map(requestsOf));
  return offeringsOf(target, type, checked)
    .filter((offering) => fits(all, allocatableOf(type, offering)))
    .sort((a, b) => a.pricePerHour - b.pricePerHour);
}

/** The lowest price of the type on this node; infinite if it cannot be had at all. */
export function priceOf(target: PlannedTarget, type: InstanceType, checked: CheckedPlan): number {
  return Math.min(
    ...offeringsOf(target, type, checked).map(({ pricePerHour }) => pricePerHour),
    Number.POSITIVE_INFINITY,
  );
}

/** How the type can be bought for this node. */
export function offeringsOf(
  { node }: PlannedTarget,
  type: InstanceType,
  { options }: CheckedPlan,
): readonly Offering[] {
  return usableOfferings(type, node.requirements, options.profile);
}

/** A node that holds reservations is pinned to them at the very end; types were chosen without that (§20). */
export function beforeReserving({ node, pool }: PlannedTarget, { options }: CheckedPlan): Requirements {
  if (node.reservations.length === 0) return node.requirements;
  const open = new Map(node.requirements);
  open.delete(options.reservationIdLabel ?? '');
  open.delete(CAPACITY_TYPE_LABEL);
  const asked = pool.template.get(CAPACITY_TYPE_LABEL);
  return asked === undefined ? open : open.set(CAPACITY_TYPE_LABEL, asked);
}
