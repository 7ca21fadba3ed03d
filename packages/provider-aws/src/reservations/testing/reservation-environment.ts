import type { CapacityReservation, DescribeCapacityReservationsCommandInput, Filter } from '@aws-sdk/client-ec2';
import { VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import type { AwsCall } from '../../api/aws-apis.ts';
import { AwsError } from '../../api/aws-error.ts';
import { CapacityReservations } from '../capacity-reservations.ts';
import { ReservationCounts } from '../reservation-counts.ts';

type DescribeReservations = AwsCall<
  DescribeCapacityReservationsCommandInput,
  { readonly $metadata: object; readonly CapacityReservations: CapacityReservation[] }
>;

/** A reservation as EC2 tells it. */
export function reservation(id: string, parts: Partial<CapacityReservation> = {}): CapacityReservation {
  return {
    CapacityReservationId: id,
    OwnerId: '111122223333',
    InstanceType: 'm5.large',
    AvailabilityZone: 'us-west-2a',
    InstanceMatchCriteria: 'targeted',
    State: 'active',
    AvailableInstanceCount: 10,
    ...parts,
  };
}

/** The reservations of an EC2 that holds these, in virtual time. `inputs` are the calls. */
export function reservationEnvironment(held: readonly CapacityReservation[]) {
  const clock = new VirtualClock();
  const inputs: DescribeCapacityReservationsCommandInput[] = [];
  const describe: DescribeReservations = async (input) => {
    inputs.push(input);
    return { $metadata: {}, CapacityReservations: answer(ec2.held, input) };
  };
  const ec2 = { held, describeCapacityReservations: describe };
  const counts = new ReservationCounts(clock);
  const reservations = new CapacityReservations({ ec2, clock, counts, stopping: NEVER });
  return { clock, ec2, inputs, counts, reservations };
}

function answer(
  held: readonly CapacityReservation[],
  { CapacityReservationIds: ids, Filters = [] }: DescribeCapacityReservationsCommandInput,
): CapacityReservation[] {
  const unknown = ids?.find((id) => held.every(({ CapacityReservationId }) => CapacityReservationId !== id));
  if (unknown !== undefined) {
    const text = `The capacity reservation ID '${unknown}' does not exist`;
    throw new AwsError('InvalidCapacityReservationId.NotFound', text);
  }
  return held.filter(
    (one) => (ids?.includes(one.CapacityReservationId!) ?? true) && Filters.every((filter) => matches(one, filter)),
  );
}

function matches({ OwnerId, State, InstanceMatchCriteria, Tags = [] }: CapacityReservation, filter: Filter): boolean {
  const { Name = '', Values = [] } = filter;
  switch (Name) {
    case 'state':
      return Values.includes(State ?? '');
    case 'owner-id':
      return Values.includes(OwnerId ?? '');
    case 'instance-match-criteria':
      return Values.includes(InstanceMatchCriteria ?? '');
    case 'tag-key':
      return Tags.some(({ Key }) => Values.includes(Key ?? ''));
    default:
      return Tags.some(({ Key, Value }) => Name === `tag:${Key}` && Values.includes(Value ?? ''));
  }
}
