import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import {
  defineCounter,
  type EventDraft,
  type EventRecorder,
  type Logger,
  type Metrics,
  subjectOf,
} from '@karpenter-ts/runtime';
import type { StatusSubnet, SubnetAddressBook } from '../network/subnet-address-book.ts';
import type { UnavailableOfferings } from '../offerings/unavailable-offerings.ts';
import type { ReservationCounter } from '../reservations/reservation-counter.ts';
import { type FailedLaunch, type Mark, marksOf, NO_SPOT_ROLE, type ReadError, reasonOf } from './fleet-errors.ts';

export const launchFailures = defineCounter(
  'karpenter_cloudprovider_instance_launch_failures_total',
  ['zone', 'zone_id', 'capacity_type', 'reason'],
  'Number of instance launch (CreateFleet offering) failures, dimensioned by availability zone, zone ID, capacity type, and launch failure reason.',
);

/** Where errors of fleets leave their marks. */
export interface FleetErrorDeps {
  readonly unavailable: UnavailableOfferings;
  readonly addresses: SubnetAddressBook;
  readonly reservations: Pick<ReservationCounter, 'exhausted'>;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly logger: Logger;
}

/** The launch that the errors are of. */
export interface ErrorContext extends FailedLaunch {
  readonly nodeClaim: NodeClaim;
  readonly subnets: ReadonlyMap<string, StatusSubnet>;
  readonly fleetId: string | undefined;
}

/** Counts the errors of a fleet, and remembers what they say of capacity, be it that an instance was launched. */
export function recordFleetErrors(errors: readonly ReadError[], context: ErrorContext, deps: FleetErrorDeps): void {
  for (const error of errors) {
    deps.metrics.increment(launchFailures, {
      zone: error.zone,
      zone_id: context.subnets.get(error.zone)?.zoneID ?? '',
      capacity_type: context.capacityType,
      reason: reasonOf(error),
    });
    for (const mark of marksOf(error, context)) apply(mark, context, deps);
  }
}

function apply(mark: Mark, context: ErrorContext, deps: FleetErrorDeps): void {
  const { unavailable, addresses, reservations, events, logger } = deps;
  const { fleetId } = context;
  switch (mark.unavailable) {
    case 'subnet':
      unavailable.markSubnetUnavailable(mark.subnetId);
      addresses.exhausted(mark.subnetId);
      return;
    case 'offering':
      unavailable.markUnavailable(mark.pool, { reason: mark.reason, fleetId });
      return;
    case 'spread group':
      logger.debug(
        'spread placement group availability zone limit reached, marking all instance types unavailable for this placement group in availability zone',
        { 'placement-group-id': mark.pools[0]?.placementGroupId, zone: mark.pools[0]?.zone },
      );
      for (const pool of mark.pools) unavailable.markUnavailable(pool, { reason: mark.reason, fleetId });
      return;
    case 'spot':
      unavailable.markCapacityTypeUnavailable('spot');
      events.publish(spotRoleMissing(context.nodeClaim));
      return;
    case 'reservation':
      logger.debug('marking capacity reservation unavailable', {
        reason: mark.error.code,
        'instance-type': mark.error.instanceType,
        zone: mark.error.zone,
        'capacity-reservation-id': mark.reservationId,
      });
      reservations.exhausted(mark.reservationId);
      return;
    default:
      mark satisfies never;
  }
}

/** Upstream gives this event no reason (spec 07 §28). */
function spotRoleMissing(nodeClaim: NodeClaim): EventDraft {
  return {
    on: subjectOf(NODE_CLAIMS, nodeClaim),
    type: 'Warning',
    reason: '',
    message: `Attempted to launch a spot instance but failed due to "${NO_SPOT_ROLE}"`,
    dedupe: [nodeClaim.metadata.uid ?? ''],
  };
}
