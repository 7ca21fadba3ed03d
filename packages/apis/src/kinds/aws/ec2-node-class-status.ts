import { boolean, defaulted, list, object, oneOf, required, string } from '../../schema/schema.ts';
import { unkeyedConditions } from '../condition.ts';

const ami = object('An image and the instance types it suits.', {
  deprecated: boolean('Whether its owner has deprecated it.'),
  id: required(string('Id of the image.')),
  name: string('Name of the image.'),
  requirements: required(
    list(
      'Which instance types it suits.',
      object('A condition on one label.', {
        key: required(string('The label key.')),
        operator: required(string('How the key relates to the values.')),
        values: list('Values to compare with.', string('One label value.'), { listType: 'atomic' }),
      }),
    ),
  ),
});

const capacityReservation = object('A reservation the class may use.', {
  availabilityZone: required(string('Its zone.')),
  endTime: string('When it ends.', { format: 'date-time' }),
  id: required(string('Its id.', { pattern: '^cr-[0-9a-z]+$' })),
  instanceMatchCriteria: required(oneOf('Which launches it takes.', ['open', 'targeted'])),
  instanceType: required(string('The instance type it is for.')),
  interruptible: boolean('Whether its owner may take it back.'),
  ownerID: required(string('Account that owns it.', { pattern: '^[0-9]{12}$' })),
  reservationType: defaulted(oneOf('Kind of reservation.', ['default', 'capacity-block']), 'default'),
  state: defaulted(oneOf('Whether it is about to end; only capacity blocks say so.', ['active', 'expiring']), 'active'),
});

export const ec2NodeClassStatus = object('What the selectors found.', {
  amis: list('Images.', ami),
  capacityReservations: list('Capacity reservations.', capacityReservation),
  conditions: unkeyedConditions,
  instanceProfile: string('Instance profile in use.'),
  securityGroups: list(
    'Security groups.',
    object('A security group.', { id: required(string('Its id.')), name: string('Its name.') }),
  ),
  subnets: list(
    'Subnets.',
    object('A subnet.', {
      id: required(string('Its id.')),
      zone: required(string('Its zone.')),
      zoneID: string('The id of its zone.'),
    }),
  ),
});
