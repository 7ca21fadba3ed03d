import { AWS_LABELS, type NodeClaim } from '@karpenter-ts/apis';
import type { DeleteNodeClaim, ProviderCaches } from '@karpenter-ts/cloudprovider';
import {
  type Clock,
  combineErrors,
  type Controller,
  errorText,
  LoggedRef,
  MINUTE,
  runParallel,
  singleton,
} from '@karpenter-ts/runtime';
import { within } from '../api/with-context.ts';
import { isManagedNodeClaim } from '../node-class/managed.ts';
import type { CapacityReservations } from '../reservations/capacity-reservations.ts';
import { isExpiring } from '../reservations/status-entry.ts';

export interface ReservationExpirationDeps {
  readonly reservations: Pick<CapacityReservations, 'list'>;
  readonly deleteNodeClaim: DeleteNodeClaim;
  readonly caches: { readonly nodeClaims: Pick<ProviderCaches['nodeClaims'], 'list'> };
  readonly clock: Clock;
}

const PERIOD = 1 * MINUTE;
const PARALLEL = 10;

/**
 * Deletes the NodeClaims of capacity blocks that are about to end, so that their Nodes are drained before EC2 takes the
 * instances back (spec 07 §23). The instances of other reservations outlive those.
 */
export function reservationExpirationController(deps: ReservationExpirationDeps): Controller {
  const { reservations, deleteNodeClaim, caches, clock } = deps;
  return singleton('capacityreservation.expiration', async (signal, logger) => {
    const nodeClaims = caches.nodeClaims
      .list()
      .filter((nodeClaim) => isManagedNodeClaim(nodeClaim) && reservationIdOf(nodeClaim) !== undefined);
    const terms = nodeClaims.map((nodeClaim) => ({ id: reservationIdOf(nodeClaim)! }));
    const found = await within('getting capacity reservations', reservations.list(terms, signal));
    const now = clock.now();
    const expiring = new Set(found.filter((one) => isExpiring(one, now)).map((one) => one.CapacityReservationId));
    const affected = nodeClaims.filter((nodeClaim) => expiring.has(reservationIdOf(nodeClaim)));
    const errors = await runParallel(affected, PARALLEL, async (nodeClaim) => {
      if ((await deleteNodeClaim(nodeClaim, 'capacity_block_expired', signal)) !== 'deleted') return;
      logger.info('initiating delete for capacity block expiration', {
        NodeClaim: new LoggedRef(nodeClaim.metadata),
        'capacity-reservation-id': reservationIdOf(nodeClaim),
      });
    });
    if (errors.length === 0) return { requeueAfter: PERIOD };
    const cause = combineErrors(errors);
    throw new Error(`deleting nodeclaims, ${errorText(cause)}`, { cause });
  });
}

function reservationIdOf({ metadata }: NodeClaim): string | undefined {
  return metadata.labels?.[AWS_LABELS.capacityReservationId];
}
