import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { instanceTypeFacts } from '@karpenter-ts/ec2-facts';
import { HOUR } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { factsOf, nodeClass, typeEnvironment } from '../offerings/testing/type-environment.ts';
import { describeType } from './describe-type.ts';
import { readFacts } from './type-facts.ts';
import { readTypeSettings } from './type-settings.ts';

const TYPES = ['c5.large', 'c6g.large', 'm5.large'];

test('07/1 the types of every page are discovered, and listed by name', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: ['m4.large'] });
  ec2.types = TYPES.toReversed().map((name) => [factsOf(name)]);
  await discovered.refreshTypes(NEVER);
  assert.deepEqual([...discovered.types.keys()], TYPES);
  assert.deepEqual(
    list().map(({ name }) => name),
    TYPES,
  );
});

test('07/2 equal answers leave the types as they are, and a changed one makes its own type anew', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: TYPES });
  const before = list();
  await discovered.refreshTypes(NEVER);
  await discovered.refreshOfferings(NEVER);
  assert.equal(list(), before);

  ec2.types[0]![2]!.MemoryInfo = { SizeInMiB: 9000 };
  await discovered.refreshTypes(NEVER);
  const after = list();
  assert.notEqual(after, before);
  assert.deepEqual(changed(before, after), ['m5.large']);

  ec2.offerings['c5.large'] = ['us-west-2a'];
  await discovered.refreshOfferings(NEVER);
  assert.deepEqual(changed(after, list()), ['c5.large']);
});

test('a change of what nobody reads is none', async () => {
  const { ec2, discovered } = await typeEnvironment({ types: TYPES });
  const { version } = discovered;
  ec2.types[0]![0]!.FreeTierEligible = true;
  await discovered.refreshTypes(NEVER);
  assert.equal(discovered.version, version);
});

test('a type that EC2 no longer has is no longer listed', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: TYPES });
  list();
  ec2.types = [[factsOf('m5.large')]];
  await discovered.refreshTypes(NEVER);
  assert.deepEqual(
    list().map(({ name }) => name),
    ['m5.large'],
  );
});

test('an empty answer is an error, and what was known before stays', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: TYPES });
  const before = list();
  ec2.types = [[]];
  ec2.offerings = {};
  await assert.rejects(discovered.refreshTypes(NEVER), /^Error: describing instance types, /);
  await assert.rejects(discovered.refreshOfferings(NEVER), /^Error: describing instance type zone offerings, /);
  assert.equal(list(), before);
});

test('a failed listing says what failed, and what was known before stays', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: TYPES });
  const before = list();
  ec2.failure = new AwsError('RequestLimitExceeded', 'slow down');
  await assert.rejects(discovered.refreshTypes(NEVER), { message: 'describing instance types' });
  await assert.rejects(discovered.refreshOfferings(NEVER), { message: 'describing instance type zone offerings' });
  assert.equal(list(), before);
});

test('what is discovered is logged when it changes, and once a day', async () => {
  const { ec2, discovered, logger, clock } = await typeEnvironment({ types: ['m5.large'] });
  await discovered.refreshTypes(NEVER);
  await discovered.refreshOfferings(NEVER);
  const lines = () => logger.lines.map(({ level, message, fields }) => ({ level, message, fields }));
  const offered = { level: 'debug', message: 'discovered offerings for instance types' };
  const types = { level: 'debug', message: 'discovered instance types', fields: { count: 1 } };
  const zones = [...discovered.zones];
  assert.deepEqual(lines(), [
    types,
    { ...offered, fields: { 'instance-type-count': 1 } },
    { level: 'debug', message: 'discovered zones', fields: { zones } },
  ]);
  ec2.offerings['c5.large'] = zones;
  await discovered.refreshOfferings(NEVER);
  assert.deepEqual(lines().slice(3), [{ ...offered, fields: { 'instance-type-count': 2 } }]);
  await clock.advance(24 * HOUR);
  await discovered.refreshTypes(NEVER);
  assert.deepEqual(lines().slice(4), [types]);
});

test('07/117 cores and memory of the types are metrics, as EC2 names them, for as long as EC2 has them', async () => {
  const { ec2, discovered, metrics } = await typeEnvironment({ types: ['c5.xlarge', 'm5.large'] });
  const page = async () => {
    let text = '';
    for await (const part of metrics.render('text')) text += part;
    return text.split('\n').filter((line) => line.includes('instance_type='));
  };
  assert.deepEqual(await page(), [
    'karpenter_cloudprovider_instance_type_cpu_cores{instance_type="c5.xlarge"} 4',
    'karpenter_cloudprovider_instance_type_cpu_cores{instance_type="m5.large"} 2',
    'karpenter_cloudprovider_instance_type_memory_bytes{instance_type="c5.xlarge"} 8.589934592e+09',
    'karpenter_cloudprovider_instance_type_memory_bytes{instance_type="m5.large"} 8.589934592e+09',
  ]);
  ec2.types = [[factsOf('m5.large')]];
  await discovered.refreshTypes(NEVER);
  assert.equal((await page()).length, 2);
});

test('types are described by the facts that are kept as by all that EC2 says', () => {
  const options = { region: 'us-west-2', vmMemoryOverheadPercent: 0.075, reservedEnis: 0 };
  const spec = { instanceStorePolicy: 'RAID0', networkInterfaces: [] } as const;
  for (const settings of [nodeClass(), nodeClass({ spec })].map((one) => readTypeSettings(one, options))) {
    for (const info of Object.values(instanceTypeFacts())) {
      const zones = new Set(['us-west-2a']);
      assert.deepEqual(
        describeType({ info: readFacts(info), zones }, settings),
        describeType({ info, zones }, settings),
        info.InstanceType,
      );
    }
  }
});

test('a type that EC2 says next to nothing of is listed all the same', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: ['m5.large'] });
  const bare = { InstanceType: 'new.large' } as unknown as InstanceTypeInfo;
  const odd = { ...bare, InstanceType: 'odd', SupportedUsageClasses: ['rented'], Hypervisor: 'other' } as never;
  ec2.types = [[bare, odd, {}, factsOf('m5.large')]];
  await discovered.refreshTypes(NEVER);
  assert.deepEqual(
    list().map(({ name, offerings }) => [name, offerings.length]),
    [
      ['m5.large', 2 * discovered.zones.size],
      ['new.large', 0],
      ['odd', 0],
    ],
  );
});

test('a type of which EC2 leaves any part out is listed all the same', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: ['g4dn.xlarge'] });
  const [whole] = ec2.types[0]!;
  const settings = [
    nodeClass({ spec: { networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }] } }),
    nodeClass({ spec: { cpuOptions: { nestedVirtualization: 'enabled' }, instanceStorePolicy: 'RAID0' } }),
  ];
  for (const path of partsOf(whole!)) {
    const part = structuredClone(whole!);
    removePart(part, path);
    ec2.types = [[part]];
    await discovered.refreshTypes(NEVER);
    for (const of of settings) assert.equal(list(of).length, 1, path.join('.'));
  }
});

/** The paths of all parts of a description but its name. */
function partsOf(value: object, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === 'InstanceType') return [];
    const here = [...path, key];
    return typeof member === 'object' && member !== null ? [here, ...partsOf(member as object, here)] : [here];
  });
}

function removePart(value: object, path: readonly string[]): void {
  const holder = path.slice(0, -1).reduce((at, key) => (at as Record<string, object>)[key]!, value);
  if (Array.isArray(holder)) holder.splice(Number(path.at(-1)), 1);
  else delete (holder as Record<string, unknown>)[path.at(-1)!];
}

function changed(before: readonly { readonly name: string }[], after: readonly { readonly name: string }[]) {
  return after.filter((type) => !before.includes(type)).map(({ name }) => name);
}
