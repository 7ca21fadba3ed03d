import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Offering } from '@karpenter-ts/scheduling';
import { nodeClass, typeEnvironment } from './testing/type-environment.ts';

const ICE = { reason: 'InsufficientInstanceCapacity' };
const SPOT = { instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'spot' };
const PARTITIONED = { id: 'pg-1', name: 'group', strategy: 'partition', partitionCount: 3 } as const;
const SPREAD = { id: 'pg-2', name: 'other', strategy: 'spread' } as const;

const label = ({ requirements }: Offering, key: string) => requirements.find((one) => one.key === key)?.values?.[0];
const isSpotInA = (one: Offering) =>
  label(one, 'karpenter.sh/capacity-type') === 'spot' && label(one, 'topology.kubernetes.io/zone') === 'us-west-2a';

/** The partitions in which spot capacity can be had in the first zone. */
const openPartitions = (offerings: readonly Offering[]) =>
  offerings
    .filter((one) => one.available && isSpotInA(one))
    .map((one) => label(one, 'karpenter.k8s.aws/placement-group-partition'));

test('in a group with partitions there is an offering for each of them', async () => {
  const { get, discovered } = await typeEnvironment({ types: ['m5.large'] });
  const type = get('m5.large', nodeClass(), PARTITIONED);
  assert.equal(type.offerings.length, 3 * 2 * discovered.zones.size);
  assert.deepEqual(openPartitions(type.offerings), ['1', '2', '3']);
  const prices = new Set(type.offerings.filter(isSpotInA).map(({ pricePerHour }) => pricePerHour));
  assert.equal(prices.size, 1);
});

test('types of a NodeClass with a placement group are in that group', async () => {
  const { get } = await typeEnvironment({ types: ['m5.large'] });
  const group = (of: typeof PARTITIONED | typeof SPREAD | undefined) =>
    get('m5.large', nodeClass(), of).requirements.filter(({ key }) => key.includes('placement-group'));
  const isIn = (key: string, ...values: string[]) => ({ key: `karpenter.k8s.aws/${key}`, operator: 'In', values });
  assert.deepEqual(group(undefined), []);
  assert.deepEqual(group(SPREAD), [isIn('placement-group-id', 'pg-2')]);
  assert.deepEqual(group(PARTITIONED), [
    isIn('placement-group-id', 'pg-1'),
    isIn('placement-group-partition', '1', '2', '3'),
  ]);
});

test('a lack of capacity in one partition is a lack there and nowhere else', async () => {
  const { get, unavailable } = await typeEnvironment({ types: ['m5.large'] });
  const open = () => openPartitions(get('m5.large', nodeClass(), PARTITIONED).offerings);
  assert.deepEqual(open(), ['1', '2', '3']);
  unavailable.markUnavailable({ ...SPOT, placementGroupId: 'pg-1', partition: '2' }, ICE);
  assert.deepEqual(open(), ['1', '3']);
  assert.equal(get('m5.large').offerings.filter((one) => one.available && isSpotInA(one)).length, 1);
});

test('a lack of capacity in a group says nothing of other groups, and one outside of groups is a lack in all', async () => {
  const { get, unavailable } = await typeEnvironment({ types: ['m5.large'] });
  const isOpen = (group: typeof SPREAD | undefined) =>
    get('m5.large', nodeClass(), group).offerings.some((one) => one.available && isSpotInA(one));
  const other = { ...SPREAD, id: 'pg-3' } as unknown as typeof SPREAD;
  unavailable.markUnavailable({ ...SPOT, placementGroupId: 'pg-2' }, ICE);
  assert.deepEqual([isOpen(SPREAD), isOpen(other), isOpen(undefined)], [false, true, true]);
  unavailable.markUnavailable(SPOT, ICE);
  assert.deepEqual([isOpen(other), isOpen(undefined)], [false, false]);
});
