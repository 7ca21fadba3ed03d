import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, type Requirements, toRequirements, ZONE_LABEL } from '@karpenter-ts/apis';
import fc from 'fast-check';
import type { Offering } from '../../snapshot.ts';
import { makeOffering } from '../../testing/builders.ts';
import { FAKE_PROFILE, fakeType, reserved } from '../../testing/fake-types.ts';
import { compatibleOfferings, worstLaunchPrice } from './launch-price.ts';
import { LaunchPriceIndexes } from './launch-prices.ts';

const CAPACITY_TYPES = ['reserved', 'spot', 'on-demand'];
const ZONES = ['zone-1', 'zone-2', 'zone-3'];

const offerings: fc.Arbitrary<Offering> = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    capacityType: fc.constantFrom(...CAPACITY_TYPES),
    price: fc.integer({ min: 1, max: 9 }),
    available: fc.boolean(),
  })
  .map(({ zone, capacityType, price, available }) =>
    capacityType === 'reserved'
      ? reserved(zone, `r-${price}`, 1, { available, pricePerHour: price })
      : makeOffering(zone, capacityType, price, { available }),
  );

const requirements: fc.Arbitrary<Requirements> = fc
  .record({
    zones: fc.subarray(ZONES),
    capacityTypes: fc.subarray(CAPACITY_TYPES),
    operator: fc.constantFrom('In', 'NotIn'),
  })
  .map(({ zones, capacityTypes, operator }) => {
    const specs = [
      ...(zones.length > 0 ? [{ key: ZONE_LABEL, operator, values: zones }] : []),
      ...(capacityTypes.length > 0 ? [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: capacityTypes }] : []),
      { key: 'size', operator: 'In', values: ['small'] },
    ];
    return toRequirements(specs, FAKE_PROFILE);
  });

test('the index has the prices that looking through the offerings finds', () =>
  fc.assert(
    fc.property(fc.array(fc.array(offerings, { maxLength: 8 }), { maxLength: 5 }), requirements, (offered, asked) => {
      const types = offered.map((some, i) => fakeType(`type-${i}`, { offerings: some }));
      const prices = new LaunchPriceIndexes(FAKE_PROFILE).of(types).under(asked);
      for (const type of types) {
        const compatible = compatibleOfferings(type, asked, FAKE_PROFILE);
        const cheapest = Math.min(...compatible.map(({ pricePerHour }) => pricePerHour), Infinity);
        assert.deepEqual(prices.of(type.name), { cheapest, worst: worstLaunchPrice(type, asked, FAKE_PROFILE) });
      }
    }),
  ));

test('pinned to a capacity type it has the prices of the requirements with that capacity type', () =>
  fc.assert(
    fc.property(fc.array(offerings, { maxLength: 8 }), requirements, (offered, asked) => {
      const type = fakeType('type', { offerings: offered });
      const prices = new LaunchPriceIndexes(FAKE_PROFILE).of([type]).under(asked);
      for (const capacityType of ['reserved', 'spot', 'on-demand'] as const) {
        const pinned = compatibleOfferings(type, asked, FAKE_PROFILE).filter((one) =>
          one.requirements.some(({ key, values }) => key === CAPACITY_TYPE_LABEL && values?.[0] === capacityType),
        );
        const found = pinned.map(({ pricePerHour }) => pricePerHour);
        const expected = { cheapest: Math.min(...found, Infinity), worst: Math.max(...found, -Infinity) };
        const actual = prices.pinnedTo(capacityType).of('type');
        assert.deepEqual(actual, found.length === 0 ? { cheapest: Infinity, worst: Infinity } : expected);
        assert.equal(prices.capacityTypes(['type']).includes(capacityType), found.length > 0);
      }
    }),
  ));

test('an array of types is indexed once, and so are requirements', () => {
  const indexes = new LaunchPriceIndexes(FAKE_PROFILE);
  const types = [fakeType('type')];
  assert.equal(indexes.of(types), indexes.of(types));
  const asked = toRequirements([], FAKE_PROFILE);
  assert.equal(indexes.of(types).under(asked), indexes.of(types).under(asked));
  assert.equal(indexes.of(types).under(asked), indexes.of(types).under(toRequirements([], FAKE_PROFILE)));
  assert.deepEqual(indexes.of(types).under(asked).of('unknown'), { cheapest: Infinity, worst: Infinity });
});
