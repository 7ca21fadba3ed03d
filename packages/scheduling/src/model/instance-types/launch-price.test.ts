import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, type RequirementSpec, toRequirements, ZONE_LABEL } from '@karpenter-ts/apis';
import { makeOffering } from '../../testing/builders.ts';
import { FAKE_PROFILE, fakeType, is, reserved } from '../../testing/fake-types.ts';
import { adjustPrice, worstLaunchPrice } from './launch-price.ts';

const type = fakeType('t', {
  offerings: [
    makeOffering('test-zone-1', 'spot', 1),
    makeOffering('test-zone-2', 'spot', 2),
    makeOffering('test-zone-3', 'spot', 9, { available: false }),
    makeOffering('test-zone-1', 'on-demand', 5),
    reserved('test-zone-3', 'r', 1),
  ],
});
const worst = (...specs: readonly RequirementSpec[]) =>
  worstLaunchPrice(type, toRequirements(specs, FAKE_PROFILE), FAKE_PROFILE);

test('the worst price is the dearest of the capacity type that is bought first', () => {
  assert.equal(worst(), 0.0001);
  assert.equal(worst(is(ZONE_LABEL, 'test-zone-1', 'test-zone-2')), 2);
  assert.equal(worst(is(CAPACITY_TYPE_LABEL, 'on-demand')), 5);
  assert.equal(worst(is(ZONE_LABEL, 'nowhere')), Number.POSITIVE_INFINITY);
});

test('an overlay leaves, sets, adds to or scales a price, which never falls below zero', () => {
  assert.equal(adjustPrice(2, ''), 2);
  assert.equal(adjustPrice(2, '3.5'), 3.5);
  assert.equal(adjustPrice(2, '+0.5'), 2.5);
  assert.equal(adjustPrice(2, '-0.5'), 1.5);
  assert.equal(adjustPrice(2, '+50%'), 3);
  assert.equal(adjustPrice(2, '-25%'), 1.5);
  assert.equal(adjustPrice(2, '-5'), 0);
});
