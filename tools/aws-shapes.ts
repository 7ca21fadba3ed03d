// Condenses the SDK's schemas of the query protocols into what the AWS emulator reads and writes on the wire:
//   node tools/aws-shapes.ts
// writes packages/aws-emulator/shapes/SERVICE.json. Run it after an update of the SDK's clients, or to add a call.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ec2 from '@aws-sdk/client-ec2';
import * as iam from '@aws-sdk/client-iam';
import * as sts from '@aws-sdk/client-sts';

const DIRECTORY = join(import.meta.dirname, '..', 'packages/aws-emulator/shapes');

const SERVICES: readonly { name: string; client: object; isEc2: boolean; calls: readonly string[] }[] = [
  {
    name: 'ec2',
    client: ec2,
    isEc2: true,
    calls: [
      'CreateFleet',
      'CreateLaunchTemplate',
      'CreatePlacementGroup',
      'CreateSecurityGroup',
      'CreateSubnet',
      'CreateTags',
      'CreateVpc',
      'DeleteLaunchTemplate',
      'DeleteTags',
      'DescribeAvailabilityZones',
      'DescribeCapacityReservations',
      'DescribeImages',
      'DescribeInstanceStatus',
      'DescribeInstanceTypeOfferings',
      'DescribeInstanceTypes',
      'DescribeInstances',
      'DescribeLaunchTemplates',
      'DescribeLaunchTemplateVersions',
      'DescribePlacementGroups',
      'DescribeSecurityGroups',
      'DescribeSpotPriceHistory',
      'DescribeSubnets',
      'DescribeTags',
      'DescribeVpcs',
      'RegisterImage',
      'RunInstances',
      'TerminateInstances',
    ],
  },
  {
    name: 'iam',
    client: iam,
    isEc2: false,
    calls: [
      'AddRoleToInstanceProfile',
      'CreateInstanceProfile',
      'CreateRole',
      'DeleteInstanceProfile',
      'DeleteRole',
      'GetInstanceProfile',
      'GetRole',
      'ListInstanceProfiles',
      'ListInstanceProfilesForRole',
      'RemoveRoleFromInstanceProfile',
      'TagInstanceProfile',
      'UntagInstanceProfile',
    ],
  },
  { name: 'sts', client: sts, isEc2: false, calls: ['AssumeRole', 'AssumeRoleWithWebIdentity', 'GetCallerIdentity'] },
];

/** A schema of the SDK: a number for a scalar, an array whose first element is its kind, or a function that returns one. */
type Schema = number | readonly [kind: number, ...rest: unknown[]] | (() => Schema);
type Traits = Readonly<Record<string, string>>;
type Type = string | readonly [item: Type, itemName: string];
type Member = readonly [queryName: string, xmlName: string, type: Type];
type Shape = { readonly required?: number; readonly members: Record<string, Member> };

const STRUCTURE = 3;
const LIST = 1;
const SIMPLE = 0;
const LIST_OF = 64;

for (const service of SERVICES) {
  mkdirSync(DIRECTORY, { recursive: true });
  writeFileSync(join(DIRECTORY, `${service.name}.json`), `${text(condense(service))}\n`);
}

function condense({ client, isEc2, calls }: (typeof SERVICES)[number]): object {
  const shapes: Record<string, Shape> = {};
  const schemas = client as Readonly<Record<string, readonly [number, string, string, number, Schema, Schema]>>;
  const operations = calls.map((call) => {
    const [, , , , input, output] = schemas[`${call}$`]!;
    return [call, [structure(input), structure(output)]] as const;
  });
  return { operations: Object.fromEntries(operations), shapes };

  /** The name of a structure, which is described with all it refers to; null for none. */
  function structure(schema: Schema): string | null {
    const known = definitionOf(schema);
    if (typeof known === 'number' || known[0] !== STRUCTURE) return null;
    const [, , name, , members, types, required] = known as unknown as readonly [
      number,
      string,
      string,
      unknown,
      readonly string[],
      readonly (Schema | readonly [Schema, Traits])[],
      number?,
    ];
    if (shapes[name] !== undefined) return name;
    shapes[name] = { ...(required ? { required } : {}), members: {} };
    for (const [index, member] of members.entries()) {
      const [type, traits] = withTraits(types[index]!);
      shapes[name].members[member] = [queryName(member, traits), traits['xmlName'] ?? member, typeOf(type)];
    }
    return name;
  }

  function queryName(member: string, { ec2QueryName, xmlName }: Traits): string {
    const plain = xmlName ?? member;
    return isEc2 ? (ec2QueryName ?? plain[0]!.toUpperCase() + plain.slice(1)) : plain;
  }

  function typeOf(schema: Schema): Type {
    const known = definitionOf(schema);
    if (typeof known === 'number') return known >= LIST_OF ? [typeOf(known - LIST_OF), 'member'] : scalar(known);
    if (known[0] === SIMPLE) return scalar(known[4] as number);
    if (known[0] !== LIST) return structure(schema)!;
    const [item, traits] = withTraits(known[4] as Schema | readonly [Schema, Traits]);
    return [typeOf(item), traits['xmlName'] ?? 'member'];
  }
}

function definitionOf(schema: Schema): number | readonly unknown[] {
  return typeof schema === 'function' ? definitionOf(schema()) : schema;
}

function withTraits(member: Schema | readonly [Schema, Traits | number]): readonly [Schema, Traits] {
  if (!Array.isArray(member) || (typeof member[0] === 'number' && member.length > 2)) return [member as Schema, {}];
  const [schema, traits] = member as readonly [Schema, Traits | number];
  return [schema, typeof traits === 'number' ? {} : traits];
}

function scalar(code: number): string {
  if (code === 0) return 'string';
  if (code === 1) return 'number';
  if (code === 2) return 'boolean';
  if (code >= 4 && code <= 7) return 'timestamp';
  if (code === 21) return 'blob';
  throw new Error(`the SDK's schema has a scalar of kind ${code}, which this does not know`);
}

/** A line for each shape: short, and changes can be read. */
function text(table: object): string {
  const sections = Object.entries(table).map(([section, entries]) => {
    const lines = Object.entries(entries as object).map(
      ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
    );
    return ` ${JSON.stringify(section)}: {\n${lines.join(',\n')}\n }`;
  });
  return `{\n${sections.join(',\n')}\n}`;
}
