import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { nodeClass, typeEnvironment } from './testing/type-environment.ts';

type Spec = Partial<NonNullable<EC2NodeClass['spec']>>;
type Interface = NonNullable<Spec['networkInterfaces']>[number];

/** Which of the types a NodeClass can have now. All of them are listed in any case. */
async function usable(types: readonly string[], spec: Spec, group?: PlacementGroup): Promise<readonly string[]> {
  const { list } = await typeEnvironment({ types });
  const all = list(nodeClass({ spec }), group);
  assert.equal(all.length, types.length);
  return all.filter(({ offerings }) => offerings.some(({ available }) => available)).map(({ name }) => name);
}

const ordinary = (networkCardIndex: number, deviceIndex: number): Interface => ({
  networkCardIndex,
  deviceIndex,
  interfaceType: 'interface',
});
const efaOnly = (networkCardIndex: number, deviceIndex: number): Interface => ({
  networkCardIndex,
  deviceIndex,
  interfaceType: 'efa-only',
});

test('07/43 Graviton 1 cannot run Amazon Linux 2023, and runs other families', async () => {
  const types = ['a1.large', 'm5.large'];
  assert.deepEqual(await usable(types, {}), ['m5.large']);
  assert.deepEqual(await usable(types, { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }), types);
  assert.deepEqual(await usable(types, { amiFamily: 'Custom', amiSelectorTerms: [] }), types);
});

test('07/44 types must have the cards and devices that the interfaces name', async () => {
  const types = ['m5.large', 'p4d.24xlarge'];
  const of = (...networkInterfaces: Interface[]) => usable(types, { networkInterfaces });
  assert.deepEqual(await of(ordinary(0, 0)), types);
  assert.deepEqual(await of(ordinary(0, 0), ordinary(1, 1)), ['p4d.24xlarge']); // m5.large has one card
  assert.deepEqual(await of(ordinary(0, 0), ordinary(0, 3)), ['p4d.24xlarge']); // and three interfaces on it
  assert.deepEqual(await of(ordinary(0, 0), ordinary(7, 0)), []);
});

test('07/44 types must take as many interfaces for EFA as are named, and ENA interfaces at all', async () => {
  const of = (...networkInterfaces: Interface[]) =>
    usable(['m5.large', 'p4d.24xlarge', 't1.micro'], { networkInterfaces });
  assert.deepEqual(await of(ordinary(0, 0), efaOnly(0, 1)), ['p4d.24xlarge']);
  const fourCards = [0, 1, 2, 3].map((card) => efaOnly(card, 1));
  assert.deepEqual(await of(ordinary(0, 0), ...fourCards), ['p4d.24xlarge']);
  assert.deepEqual(await of(ordinary(0, 0), ...fourCards, efaOnly(0, 2)), []);
  assert.deepEqual(await of(), ['m5.large', 'p4d.24xlarge']); // no interfaces, but they are said to be none
});

test('07/45 nested virtualisation needs a processor that has it', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: ['c8i.large', 'm5.large'] });
  ec2.types[0]![0]!.ProcessorInfo!.SupportedFeatures = ['nested-virtualization'];
  await discovered.refreshTypes(new AbortController().signal);
  const names = (nestedVirtualization: 'enabled' | 'disabled') =>
    list(nodeClass({ spec: { cpuOptions: { nestedVirtualization } } }))
      .filter(({ offerings }) => offerings.some(({ available }) => available))
      .map(({ name }) => name);
  assert.deepEqual(names('enabled'), ['c8i.large']);
  assert.deepEqual(names('disabled'), ['c8i.large', 'm5.large']);
});

test('07/46 connection tracking needs the Nitro hypervisor, which bare metal does not say it has', async () => {
  const types = ['m4.large', 'm5.large', 'm5.metal'];
  assert.deepEqual(await usable(types, { connectionTracking: { udpTimeout: 30 } }), ['m5.large']);
  assert.deepEqual(await usable(types, {}), types);
});

test('07/47 types must go into the placement group', async () => {
  const group = { id: 'pg-1', name: 'group', strategy: 'cluster' } as const;
  const types = ['m5.large', 't3.large'];
  assert.deepEqual(await usable(types, {}, group), ['m5.large']);
  assert.deepEqual(await usable(types, {}, { ...group, strategy: 'spread' }), types);
});
