import type { CapacityReservation } from '@aws-sdk/client-ec2';
import { type Instant, MINUTE, StructuredError } from '@karpenter-ts/runtime';
import { timestamp } from '@karpenter-ts/kubernetes';
import type { NodeClassStatus } from '../node-class/node-class-parts.ts';

/** A capacity reservation as the status of a NodeClass shows it. */
export type StatusReservation = NonNullable<NodeClassStatus['capacityReservations']>[number];

/** EC2 takes instances back half an hour before a capacity block ends, and tells so ten minutes earlier. */
const RECLAIMED_BEFORE_END = 40 * MINUTE;

/** The blocks of UltraServers are taken back an hour before they end. */
const ULTRASERVER_RECLAIMED_BEFORE_END = 70 * MINUTE;

/** These types exist in UltraServers only. */
const ULTRASERVER_TYPES = /^(?:trn2u|p6e-\w+)\./;

/** The entries in order of their ids, and why the others have none. */
export interface StatusReservations {
  readonly entries: readonly StatusReservation[];
  readonly problems: readonly Error[];
}

/** What the status of a NodeClass says of its reservations (spec 07 §23). */
export function statusReservations(reservations: readonly CapacityReservation[], now: Instant): StatusReservations {
  const entries: StatusReservation[] = [];
  const problems: Error[] = [];
  for (const reservation of reservations) {
    const result = statusReservation(reservation, now);
    if (result instanceof Error) problems.push(result);
    else entries.push(result);
  }
  return { entries: entries.sort((a, b) => (a.id < b.id ? -1 : 1)), problems };
}

/** EC2 may invent kinds of reservations that Karpenter cannot launch into: an Error says what is unknown. */
export function statusReservation(reservation: CapacityReservation, now: Instant): StatusReservation | Error {
  const { CapacityReservationId: id = '', InstanceMatchCriteria: criteria, EndDate, Interruptible } = reservation;
  const type = reservation.ReservationType || 'default';
  if (criteria !== 'open' && criteria !== 'targeted') {
    return new StructuredError('received capacity reservation with unsupported instance match criteria from ec2', {
      'capacity-reservation': id,
      'instance-match-criteria': criteria ?? '',
    });
  }
  if (type !== 'default' && type !== 'capacity-block') {
    return new StructuredError('received capacity reservation with unsupported reservation type from ec2', {
      'capacity-reservation': id,
      'reservation-type': type,
    });
  }
  return {
    availabilityZone: reservation.AvailabilityZone ?? '',
    ...(EndDate && { endTime: timestamp(EndDate.getTime()) }),
    id,
    instanceMatchCriteria: criteria,
    instanceType: reservation.InstanceType ?? '',
    interruptible: Interruptible ?? false,
    ownerID: reservation.OwnerId ?? '',
    reservationType: type,
    state: isExpiring(reservation, now) ? 'expiring' : 'active',
  };
}

/** Whether EC2 is about to take the instances back. Only capacity blocks end that way. */
export function isExpiring({ ReservationType, EndDate, InstanceType }: CapacityReservation, now: Instant): boolean {
  if (ReservationType !== 'capacity-block' || EndDate === undefined) return false;
  const notice = ULTRASERVER_TYPES.test(InstanceType ?? '') ? ULTRASERVER_RECLAIMED_BEFORE_END : RECLAIMED_BEFORE_END;
  return now >= EndDate.getTime() - notice;
}
