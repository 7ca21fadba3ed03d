import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_TYPES, FAKE_PROFILE } from '../../testing/fake-types.ts';
import { Catalogues } from './catalogues.ts';

test('what a list of types is asked is worked out once', () => {
  const catalogues = new Catalogues();
  const catalogue = catalogues.of(DEFAULT_TYPES, FAKE_PROFILE);
  assert.equal(catalogues.of(DEFAULT_TYPES, FAKE_PROFILE), catalogue);
  assert.equal(catalogue.allocatableLevels('cpu'), catalogue.allocatableLevels('cpu'));
  assert.equal(catalogue.capacityLevels('cpu'), catalogue.capacityLevels('cpu'));
  assert.equal(catalogue.priceOrder([0, 1]), catalogue.priceOrder([0, 1]));
});
