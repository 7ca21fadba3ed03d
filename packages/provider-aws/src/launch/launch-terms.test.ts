import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequirementSpec } from '@karpenter-ts/apis';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { chooseTerms, findInflexibility } from './launch-terms.ts';
import { filterInput, offering, reserved, typeOf } from './testing/types.ts';

const requirement = (key: string, operator: string, ...values: readonly string[]): RequirementSpec => ({
  key,
  operator,
  values,
});
const capacityTypes = (...values: readonly string[]) => requirement('karpenter.sh/capacity-type', 'In', ...values);
const PARTITION = 'karpenter.k8s.aws/placement-group-partition';
const GROUP: PlacementGroup = { id: 'pg-1', name: 'group', strategy: 'partition', partitionCount: 12 };

function terms(types: readonly InstanceType[], requirements: readonly RequirementSpec[] = [], group?: PlacementGroup) {
  return chooseTerms(types, filterInput(types, { requirements }).demand.requirements, group);
}

test('reserved comes before spot, and spot before on-demand, as far as admitted and available', () => {
  const all = typeOf('m5.large', [offering('on-demand', 1), offering('spot', 9), reserved('cr-1', 0.1)]);
  const noReserved = typeOf('m5.large', [
    offering('on-demand', 1),
    offering('spot', 9),
    reserved('cr-1', 0.1, { capacity: 0 }),
  ]);
  const onDemand = typeOf('m5.large', [offering('on-demand', 1), offering('spot', 9, { available: false })]);
  assert.equal(terms([all]).capacityType, 'reserved');
  assert.equal(terms([all], [capacityTypes('spot', 'on-demand')]).capacityType, 'spot');
  assert.equal(terms([all], [capacityTypes('on-demand')]).capacityType, 'on-demand');
  assert.equal(terms([noReserved]).capacityType, 'spot');
  assert.equal(terms([onDemand]).capacityType, 'on-demand');
});

test('07/11 dedicated tenancy is used only where default is not admitted', () => {
  const types = [typeOf('m5.large', [offering('spot', 1)])];
  const tenancy = (...values: readonly string[]) => [
    requirement('karpenter.k8s.aws/instance-tenancy', 'In', ...values),
  ];
  assert.equal(terms(types).tenancy, 'default');
  assert.equal(terms(types, tenancy('default', 'dedicated')).tenancy, 'default');
  assert.equal(terms(types, tenancy('dedicated')).tenancy, 'dedicated');
  assert.equal(terms(types, tenancy('host')).tenancy, 'default');
});

function inPartitions(
  ...partitions: readonly (readonly [partition: string, available: boolean])[]
): readonly Offering[] {
  return partitions.map(([partition, available]) => {
    const plain = offering('spot', 1, { available });
    return { ...plain, requirements: [...plain.requirements, requirement(PARTITION, 'In', partition)] };
  });
}

test('one partition is chosen: the first in the order of text that has capacity', () => {
  const types = [typeOf('m5.large', inPartitions(['1', true], ['10', true], ['2', true], ['3', false]))];
  assert.equal(terms(types, [requirement(PARTITION, 'In', '2', '10')], GROUP).partition, '10');
  assert.equal(terms(types, [requirement(PARTITION, 'In', '3', '4', '2')], GROUP).partition, '2');
  assert.equal(terms(types, [requirement(PARTITION, 'In', '3', '4')], GROUP).partition, '3');
});

test('without a requirement that names partitions, EC2 chooses one', () => {
  const types = [typeOf('m5.large', inPartitions(['1', true], ['2', true]))];
  assert.equal(terms(types, [], GROUP).partition, undefined);
  assert.equal(terms(types, [requirement(PARTITION, 'NotIn', '1')], GROUP).partition, undefined);
  assert.equal(terms(types, [requirement(PARTITION, 'Exists')], GROUP).partition, undefined);
  assert.equal(terms(types, [requirement(PARTITION, 'In', '1')]).partition, undefined);
  assert.equal(
    terms(types, [requirement(PARTITION, 'In', '1')], { ...GROUP, strategy: 'spread' }).partition,
    undefined,
  );
});

test('on-demand with few types where spot is admitted is warned of', () => {
  const few = Array.from({ length: 4 }, (_, index) => typeOf(`m5.${index}`, [offering('on-demand', 1)]));
  const enough = [...few, typeOf('c5.large', [offering('on-demand', 1)])];
  const warning = (types: readonly InstanceType[], requirements: readonly RequirementSpec[]) => {
    const { demand } = filterInput(types, { requirements });
    return findInflexibility(types, demand.requirements, terms(types, requirements));
  };
  assert.equal(
    warning(few, [capacityTypes('spot', 'on-demand')]),
    'at least 5 instance types are recommended when flexible to spot but requesting on-demand, ' +
      'the current provisioning request only has 4 instance type options',
  );
  assert.equal(warning(enough, [capacityTypes('spot', 'on-demand')]), undefined);
  assert.equal(warning(few, [capacityTypes('on-demand')]), undefined);
  assert.equal(warning([typeOf('m5.large', [offering('spot', 1)])], []), undefined);
});
