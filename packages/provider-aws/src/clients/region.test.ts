import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pricingRegion } from './region.ts';

for (const [region, expected] of [
  ['ap-northeast-1', 'ap-south-1'],
  ['cn-north-1', 'cn-northwest-1'],
  ['eu-west-1', 'eu-central-1'],
  ['us-west-2', 'us-east-1'],
  ['sa-east-1', 'us-east-1'],
] as const) {
  test(`the prices of ${region} are asked for in ${expected}`, () => {
    assert.equal(pricingRegion(region), expected);
  });
}
