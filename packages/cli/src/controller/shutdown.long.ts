// As shutdown.test.ts, for every question there is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '@karpenter-ts/runtime';
import { ObservedLife } from './testing/observed-life.ts';

const whole = new ObservedLife();
await whole.live();

for (const question of whole.questions) {
  test(`a stop does not wait for the answer to ${question}`, async () => {
    const took = await new ObservedLife(question).live();
    assert.ok(took <= 5 * SECOND, `it took ${took / SECOND} s`);
  });
}
