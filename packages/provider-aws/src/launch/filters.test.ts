import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepAvailable, rejectDearSpot, rejectLastResort } from './filters.ts';
import { filterInput, offering, outline, typeOf } from './testing/types.ts';

const capacityTypes = (...values: readonly string[]) => ({ key: 'karpenter.sh/capacity-type', operator: 'In', values });
const zones = (...values: readonly string[]) => ({ key: 'topology.kubernetes.io/zone', operator: 'In', values });

test('types that meet the requirements and hold the requests by an available offering are kept', () => {
  const types = [
    typeOf('m5.large', [offering('on-demand', 1)]),
    typeOf('c5.large', [offering('on-demand', 1)]),
    typeOf('m5.small', [offering('on-demand', 1)], { cpu: '1' }),
    typeOf('m5.gone', [offering('on-demand', 1, { available: false })]),
    typeOf('m5.elsewhere', [offering('on-demand', 1, { zone: 'b' })]),
  ];
  const family = { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['m5'] };
  const { kept, rejected } = keepAvailable(
    filterInput(types, { requirements: [family, zones('a')], requests: { cpu: '1500m' } }),
  );
  assert.deepEqual(
    kept.map(({ name }) => name),
    ['m5.large'],
  );
  assert.equal(rejected.length, 4);
});

test('07/62, 07/124 a type is kept for the override group that holds the requests, if that can be had there', () => {
  const device = { capacityOverride: { 'example.com/device': '2' } };
  const requests = { 'example.com/device': '2' };
  const kept = (...offerings: Parameters<typeof typeOf>[1]) =>
    keepAvailable(filterInput([typeOf('m5.large', offerings)], { requirements: [zones('a')], requests })).kept.length;
  assert.equal(kept(offering('on-demand', 1)), 0);
  assert.equal(kept(offering('on-demand', 1), offering('spot', 1, device)), 1);
  const one = { capacityOverride: { 'example.com/device': '1' } };
  assert.equal(kept(offering('spot', 1, one), offering('spot', 1, device)), 1);
  assert.equal(kept(offering('on-demand', 1), offering('spot', 1, { ...device, available: false })), 0);
  assert.equal(kept(offering('on-demand', 1), offering('spot', 1, { ...device, zone: 'b' })), 0);
});

test('07/124 a type is kept for what it has without overrides, although it has offerings with some', () => {
  const worse = { overheadOverride: { kubeReserved: { cpu: '1' } } };
  const types = [typeOf('m5.large', [offering('spot', 1, worse), offering('on-demand', 1)])];
  assert.equal(keepAvailable(filterInput(types, { requests: { cpu: '2' } })).kept.length, 1);
  const onlyWorse = [typeOf('m5.large', [offering('spot', 1, worse)])];
  assert.equal(keepAvailable(filterInput(onlyWorse, { requests: { cpu: '2' } })).kept.length, 0);
});

test('07/60 metal and accelerators are rejected where something else is left, and kept where nothing is', () => {
  const plain = typeOf('m5.large', [offering('on-demand', 1)]);
  const metal = typeOf('m5.metal', [offering('on-demand', 1)]);
  const gpu = typeOf('g5.large', [offering('on-demand', 1)], { 'nvidia.com/gpu': '1' });
  const { kept, rejected } = rejectLastResort(filterInput([metal, plain, gpu]));
  assert.deepEqual([kept, rejected], [[plain], [metal, gpu]]);
  assert.deepEqual(rejectLastResort(filterInput([metal, gpu])).kept, [metal, gpu]);
});

test('07/127 with minValues neither metal nor dear spot is rejected', () => {
  const types = [
    typeOf('m5.large', [offering('on-demand', 1), offering('spot', 2)]),
    typeOf('m5.metal', [offering('on-demand', 3)]),
  ];
  const varied = { key: 'karpenter.k8s.aws/instance-family', operator: 'Exists', minValues: 1 };
  const input = filterInput(types, { requirements: [varied] });
  assert.equal(rejectLastResort(input).kept, types);
  assert.equal(rejectDearSpot(input).kept, types);
});

test('07/59, 07/128 spot that is dearer than the cheapest on-demand is dropped, and with it types that have nothing else', () => {
  const types = [
    typeOf('m5.large', [offering('on-demand', 2), offering('spot', 1), offering('spot', 3, { zone: 'b' })]),
    typeOf('c5.large', [offering('on-demand', 5), offering('spot', 4)]),
    typeOf('r5.large', [offering('spot', 3), offering('spot', 2.5)]),
    typeOf('t3.large', [offering('spot', 2)]),
  ];
  const { kept, rejected } = rejectDearSpot(filterInput(types));
  assert.deepEqual(outline(kept), ['m5.large: 2 1', 'c5.large: 5', 't3.large: 2']);
  assert.deepEqual(outline(rejected), ['r5.large: 3 2.5']);
  assert.equal(types[0]!.offerings.length, 3);
});

test('07/127 dear spot stays where only spot or only on-demand is admitted or available', () => {
  const both = [typeOf('m5.large', [offering('on-demand', 1), offering('spot', 2)])];
  for (const admitted of ['spot', 'on-demand']) {
    assert.equal(rejectDearSpot(filterInput(both, { requirements: [capacityTypes(admitted)] })).kept, both, admitted);
  }
  const noOnDemand = [typeOf('m5.large', [offering('on-demand', 1, { available: false }), offering('spot', 2)])];
  assert.equal(rejectDearSpot(filterInput(noOnDemand)).kept, noOnDemand);
  const elsewhere = [typeOf('m5.large', [offering('on-demand', 1, { zone: 'b' }), offering('spot', 2)])];
  assert.equal(rejectDearSpot(filterInput(elsewhere, { requirements: [zones('a')] })).kept, elsewhere);
});
