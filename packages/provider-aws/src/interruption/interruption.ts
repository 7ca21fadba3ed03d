import type { EventDraft } from '@karpenter-ts/runtime';

/** What AWS can tell of an instance that will not last; a label of metrics. */
export type InterruptionKind =
  | 'capacity_reservation_interrupted'
  | 'event_status'
  | 'instance_status'
  | 'instance_stopped'
  | 'instance_terminated'
  | 'rebalance_recommendation'
  | 'scheduled_change'
  | 'spot_interrupted'
  | 'system_status';

/** What is done about it; a value in the log. A forceful termination drains nothing, because the instance is broken. */
export type InterruptionAction = 'CordonAndDrain' | 'ForcefulTermination' | 'NoAction';

export interface Interruption {
  readonly action: InterruptionAction;
  /** What the NodeClaim and the Node are told. */
  readonly event: Pick<EventDraft, 'type' | 'reason' | 'message'>;
}

const UNHEALTHY = {
  type: 'Warning',
  reason: 'InstanceUnhealthy',
  message: 'An unhealthy warning was triggered for the instance',
} as const;

/** Spec 08 §18 and §19. */
export const INTERRUPTIONS: Readonly<Record<InterruptionKind, Interruption>> = {
  capacity_reservation_interrupted: {
    action: 'CordonAndDrain',
    event: {
      type: 'Warning',
      reason: 'CapacityReservationInstanceInterrupted',
      message: 'Capacity Reservation interruption warning was triggered',
    },
  },
  event_status: { action: 'CordonAndDrain', event: UNHEALTHY },
  instance_status: { action: 'ForcefulTermination', event: UNHEALTHY },
  instance_stopped: {
    action: 'CordonAndDrain',
    event: { type: 'Warning', reason: 'InstanceStopping', message: 'Instance is stopping' },
  },
  instance_terminated: {
    action: 'CordonAndDrain',
    event: { type: 'Warning', reason: 'InstanceTerminating', message: 'Instance is terminating' },
  },
  rebalance_recommendation: {
    action: 'NoAction',
    event: {
      type: 'Normal',
      reason: 'SpotRebalanceRecommendation',
      message: 'Spot rebalance recommendation was triggered',
    },
  },
  scheduled_change: { action: 'CordonAndDrain', event: UNHEALTHY },
  spot_interrupted: {
    action: 'CordonAndDrain',
    event: { type: 'Warning', reason: 'SpotInterrupted', message: 'Spot interruption warning was triggered' },
  },
  system_status: { action: 'ForcefulTermination', event: UNHEALTHY },
};
