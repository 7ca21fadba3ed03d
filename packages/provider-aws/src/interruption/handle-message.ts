import { AWS_LABELS, INSTANCE_TYPE_LABEL, type NodeClaim, ZONE_LABEL } from '@karpenter-ts/apis';
import { combineErrors, errorText, type Logger, runParallel } from '@karpenter-ts/runtime';
import type { NodeClaimsByInstance } from '../instances/node-claims-by-instance.ts';
import type { UnavailableOfferings } from '../offerings/unavailable-offerings.ts';
import type { ReservationCounter } from '../reservations/reservation-counter.ts';
import { type InterruptDeps, interruptNodeClaim } from './interrupt-node-claim.ts';
import type { InterruptionMessage } from './parse-message.ts';

export interface HandleDeps extends InterruptDeps {
  readonly nodeClaims: Pick<NodeClaimsByInstance, 'find'>;
  readonly unavailable: Pick<UnavailableOfferings, 'markUnavailable'>;
  readonly reservations: Pick<ReservationCounter, 'exhausted'>;
}

/** A health event can name all instances of an account. */
const PARALLEL = 10;

/**
 * Acts on every NodeClaim whose instance the message names. Instances that are not ours are passed over: the queue may
 * get events of others. Rejects if one NodeClaim fails, after all were tried; acting again on the others is harmless.
 */
export async function handleMessage(
  { kind, instanceIds }: InterruptionMessage,
  { logger, ...deps }: HandleDeps & { readonly logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  if (kind === 'no_op') return;
  const interrupted = [...new Set(instanceIds)].flatMap((id) => deps.nodeClaims.find(id));
  const errors = await runParallel(interrupted, PARALLEL, async (nodeClaim) => {
    markUnavailable(kind, nodeClaim, deps);
    await interruptNodeClaim({ nodeClaim, kind, logger }, deps, signal);
  });
  if (errors.length === 0) return;
  const cause = combineErrors(errors);
  throw new Error(`acting on NodeClaims, ${errorText(cause)}`, { cause });
}

/** What EC2 takes back it does not have to give again soon. */
function markUnavailable(
  kind: InterruptionMessage['kind'],
  { metadata: { labels = {} } }: NodeClaim,
  { unavailable, reservations }: HandleDeps,
): void {
  if (kind === 'spot_interrupted') {
    const { [ZONE_LABEL]: zone, [INSTANCE_TYPE_LABEL]: instanceType } = labels;
    if (zone && instanceType)
      unavailable.markUnavailable({ instanceType, zone, capacityType: 'spot' }, { reason: kind });
  }
  const reservation = labels[AWS_LABELS.capacityReservationId];
  if (kind === 'capacity_reservation_interrupted' && reservation) reservations.exhausted(reservation);
}
