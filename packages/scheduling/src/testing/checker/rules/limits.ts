import { CAPACITY_TYPE_LABEL, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { largest, type Nanos, nanosOf, sum } from '../amounts.ts';
import { offeringsOf } from '../buying.ts';
import type { Rule } from '../rule.ts';
import type { PlannedTarget, PoolFacts, CheckedPlan } from '../checked-plan.ts';

/** Whichever type each new node becomes, a pool stays within its limits (§19). */
export const limitsKept: Rule = (checked) =>
  checked.pools.flatMap((pool) => {
    const bought = checked.planned.filter((target) => target.pool === pool);
    if (bought.length === 0) return [];
    const used = sum(inUse(pool, checked), ...bought.map(mostOf));
    return [...nanosOf(pool.nodePool.spec.limits)]
      .filter(([resource, limit]) => (used.get(resource) ?? 0n) > limit)
      .map(([resource]) => `pool ${pool.name} may exceed its limit of ${resource}`);
  });

const ONE_NODE: Nanos = nanosOf({ nodes: '1' });

function inUse({ name }: PoolFacts, { snapshot }: CheckedPlan): Nanos {
  const own = snapshot.nodes.filter(({ labels }) => labels[NODEPOOL_LABEL] === name);
  return sum(...own.map(({ capacity }) => sum(nanosOf(capacity), ONE_NODE)));
}

function mostOf({ types }: PlannedTarget): Nanos {
  return sum(largest(...types.map(({ capacity }) => nanosOf(capacity))), ONE_NODE);
}

/** No reservation is held by more nodes than it has instances, and a node that holds one is bought by it (§20). */
export const reservationsKept: Rule = (checked) => {
  const left = reservationCapacities(checked);
  const held = checked.planned.flatMap(({ node }) => node.reservations);
  return [
    ...[...new Set(held)]
      .filter((id) => held.filter((one) => one === id).length > (left.get(id) ?? 0))
      .map((id) => `reservation ${id} is held more often than it can be`),
    ...checked.planned
      .filter((target) => !isPinned(target, checked))
      .map(({ hostname }) => `${hostname} is not bound to its reservations`),
  ];
};

/** Under `Strict` a node that could be bought by a reservation holds one: it would have been refused otherwise (§20). */
export const reservationsHeld: Rule = (checked) =>
  checked.planned
    .filter(({ node }) => checked.options.reservedCapacity === 'Strict' && node.reservations.length === 0)
    .filter((target) =>
      target.types.some((type) =>
        offeringsOf(target, type, checked).some(({ reservation }) => reservation !== undefined),
      ),
    )
    .map(({ hostname }) => `${hostname} holds none of the reservations it could be bought by`);

/** Of one reservation, the least that any of its offerings reports. */
function reservationCapacities({ snapshot }: CheckedPlan): ReadonlyMap<string, number> {
  const left = new Map<string, number>();
  for (const { instanceTypes } of snapshot.pools) {
    for (const { reservation } of instanceTypes.flatMap(({ offerings }) => offerings)) {
      if (reservation === undefined) continue;
      left.set(reservation.id, Math.min(reservation.capacity, left.get(reservation.id) ?? reservation.capacity));
    }
  }
  return left;
}

function isPinned({ node }: PlannedTarget, { options }: CheckedPlan): boolean {
  if (node.reservations.length === 0) return true;
  const valuesOf = (key: string) => [...(node.requirements.get(key)?.values ?? [])].sort();
  const ids = valuesOf(options.reservationIdLabel ?? '');
  return valuesOf(CAPACITY_TYPE_LABEL).join() === 'reserved' && ids.join() === node.reservations.toSorted().join();
}
