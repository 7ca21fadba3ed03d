// How an EC2NodeClass finds subnets, security groups, images, reservations and placement groups.
import { list, map, object, oneOf, string } from '../../schema/schema.ts';
import type { ValidationRule } from '@karpenter-ts/kubernetes';

const tags = map("Tags to match; the value '*' matches any.", string('One value.'), {
  maxProperties: 20,
  rules: [{ message: "empty tag keys or values aren't supported", rule: "self.all(k, k != '' && self[k] != '')" }],
});

/** Every term names at least one of these fields. */
const atLeastOne = (...fields: readonly string[]): ValidationRule => ({
  message: `expected at least one, got none, [${fields.map((field) => `'${field}'`).join(', ')}]`,
  rule: `self.all(x, ${fields.map((field) => `has(x.${field})`).join(' || ')})`,
});

const notEmpty = (field: string): ValidationRule => ({
  message: `${field} cannot be empty`,
  rule: 'self.size() != 0',
});

export const subnetSelectorTerms = list(
  'Subnets to launch into; a subnet that matches any term is taken.',
  object('All fields of a term must match.', {
    id: string('Id of the subnet.', { pattern: 'subnet-[0-9a-z]+' }),
    tags,
  }),
  {
    maxItems: 30,
    rules: [
      notEmpty('subnetSelectorTerms'),
      atLeastOne('tags', 'id'),
      {
        message:
          "'id' is mutually exclusive, cannot be set with a combination of other fields in a subnet selector term",
        rule: '!self.all(x, has(x.id) && has(x.tags))',
      },
    ],
  },
);

export const securityGroupSelectorTerms = list(
  'Security groups of the instances; all that match any term are attached.',
  object('All fields of a term must match.', {
    id: string('Id of the group.', { pattern: 'sg-[0-9a-z]+' }),
    name: string('Name of the group, not its Name tag.'),
    tags,
  }),
  {
    maxItems: 30,
    rules: [
      notEmpty('securityGroupSelectorTerms'),
      atLeastOne('tags', 'id', 'name'),
      {
        message:
          "'id' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term",
        rule: '!self.all(x, has(x.id) && (has(x.tags) || has(x.name)))',
      },
      {
        message:
          "'name' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term",
        rule: '!self.all(x, has(x.name) && (has(x.tags) || has(x.id)))',
      },
    ],
  },
);

export const capacityReservationSelectorTerms = list(
  'Capacity reservations the instances may use.',
  object('All fields of a term must match.', {
    id: string('Id of the reservation.', { pattern: '^cr-[0-9a-z]+$' }),
    instanceMatchCriteria: oneOf('Which launches the reservation takes.', ['open', 'targeted']),
    ownerID: string('Account that owns the reservation.', { pattern: '^[0-9]{12}$' }),
    tags,
  }),
  {
    maxItems: 30,
    rules: [
      atLeastOne('tags', 'id', 'instanceMatchCriteria'),
      {
        message:
          "'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term",
        rule: '!self.all(x, has(x.id) && (has(x.tags) || has(x.ownerID) || has(x.instanceMatchCriteria)))',
      },
    ],
  },
);

export const placementGroupSelector = object(
  'The placement group of the instances.',
  {
    id: string('Id of the group.', { pattern: '^pg-[0-9a-z]+$' }),
    name: string('Name of the group.', { minLength: 1 }),
  },
  [
    { message: "expected at least one, got none, ['name', 'id']", rule: 'has(self.name) || has(self.id)' },
    { message: "'name' and 'id' are mutually exclusive", rule: '!(has(self.name) && has(self.id))' },
  ],
);

const FAMILIES = ['al2', 'al2023', 'bottlerocket', 'windows2019', 'windows2022', 'windows2025'];

const quoted = (names: readonly string[], separator: string) => names.map((name) => `'${name}'`).join(separator);

const alias = string('An image family and version, as family@version; the version latest follows new releases.', {
  maxLength: 30,
  rules: [
    {
      message: "'alias' is improperly formatted, must match the format 'family@version'",
      rule: "self.matches('^[a-zA-Z0-9]+@.+$')",
    },
    {
      message: `family is not supported, must be one of the following: ${quoted(FAMILIES, ', ')}`,
      rule: `self.split('@')[0] in [${quoted(FAMILIES, ',')}]`,
    },
    {
      message: "windows families may only specify version 'latest'",
      rule: `self.split('@')[0] in [${quoted(FAMILIES.slice(3), ',')}] ? self.split('@')[1] == 'latest' : true`,
    },
  ],
});

export const amiSelectorTerms = list(
  'Images to boot from; of those that match any term, the newest that suits the instance type is taken.',
  object('All fields of a term must match.', {
    alias,
    id: string('Id of the image.', { pattern: 'ami-[0-9a-z]+' }),
    name: string('Name of the image, not its Name tag.'),
    owner: string('Account id of the owner, or self, amazon, aws-marketplace.'),
    ssmParameter: string('Name of an SSM parameter that holds the id.'),
    tags,
  }),
  {
    minItems: 1,
    maxItems: 30,
    rules: [
      atLeastOne('tags', 'id', 'name', 'alias', 'ssmParameter'),
      {
        message: "'id' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms",
        rule: '!self.exists(x, has(x.id) && (has(x.alias) || has(x.tags) || has(x.name) || has(x.owner)))',
      },
      {
        message: "'alias' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms",
        rule: '!self.exists(x, has(x.alias) && (has(x.id) || has(x.tags) || has(x.name) || has(x.owner)))',
      },
      {
        message: "'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms",
        rule: '!(self.exists(x, has(x.alias)) && self.size() != 1)',
      },
    ],
  },
);
