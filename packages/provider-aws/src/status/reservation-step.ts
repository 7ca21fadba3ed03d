import { ChangeMonitor, combineErrors, type Clock, DONE, MINUTE, type SteadyClock } from '@karpenter-ts/runtime';
import type { CapacityReservation } from '@aws-sdk/client-ec2';
import { within } from '../api/with-context.ts';
import type { CapacityReservations } from '../reservations/capacity-reservations.ts';
import { statusReservations } from '../reservations/status-entry.ts';
import type { StatusStep } from './status-step.ts';

const INTERVAL = 1 * MINUTE;

export interface ReservationStepDeps {
  readonly reservations: Pick<CapacityReservations, 'list'>;
  readonly clock: Clock & SteadyClock;
}

/** `status.capacityReservations`, and the condition `CapacityReservationsReady`, which is never False (spec 08 §9). */
export function reservationStep({ reservations, clock }: ReservationStepDeps): StatusStep {
  const changes = new ChangeMonitor(clock);
  return {
    async reconcile(draft, signal, logger) {
      const { metadata, spec } = draft.nodeClass;
      const terms = spec?.capacityReservationSelectorTerms ?? [];
      const found = await within('getting capacity reservations', reservations.list(terms, signal));
      const ids = found.map(({ CapacityReservationId }) => CapacityReservationId ?? '').sort();
      if (ids.length > 0 && changes.hasChanged(metadata.name, ids)) {
        logger.debug('discovered capacity reservations', { ids });
      }
      const { entries, problems } = statusReservations(found, clock.now());
      if (problems.length > 0) {
        const counts = { 'error-count': problems.length, 'total-count': found.length };
        logger.error('failed to parse discovered capacity reservations', combineErrors(problems), counts);
      }
      draft.report({ capacityReservations: entries.length > 0 ? entries : undefined });
      draft.setCondition({ type: 'CapacityReservationsReady', status: 'True' });
      return { requeueAfter: Math.min(INTERVAL, untilNextEnd(found, clock.now())) };
    },
  };
}

/**
 * In place of the step while reservations are not used: what it wrote before says nothing any more. Upstream leaves it
 * there (spec 08, weakness 38).
 */
export const NO_RESERVATIONS: StatusStep = {
  reconcile: async (draft) => {
    draft.report({ capacityReservations: undefined });
    draft.clearCondition('CapacityReservationsReady');
    return DONE;
  },
};

function untilNextEnd(reservations: readonly CapacityReservation[], now: number): number {
  const ends = reservations.map(({ EndDate }) => EndDate?.getTime() ?? Infinity);
  return Math.max(Math.min(...ends) - now, 0);
}
