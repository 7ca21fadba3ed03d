// Whatever the API server or the cloud was asked last: a process that is told to stop never waits long for the answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '@karpenter-ts/runtime';
import { askerOf, ObservedLife } from './testing/observed-life.ts';

/** For the whole stop. Part of it is spent on writes that may yet be answered, on the lease, and on events. */
const LIMIT = 5 * SECOND;

/** They only look. */
const SILENT_CONTROLLERS = [
  'metrics.node',
  'metrics.nodepool',
  'metrics.pod',
  'node.drainstuck',
  'operatorpkg.node.status',
  'operatorpkg.nodeclaim.status',
  'operatorpkg.nodepool.status',
  'provisioner.trigger.node',
  'provisioner.trigger.pod',
  'state.nodeclaimgc',
];

const whole = new ObservedLife();
await whole.live();

test('every controller that asks for anything does so here; a new one must be brought to it, or named as silent', () => {
  const asking = new Set([...whole.questions].map(askerOf));
  const silent = [...whole.controllers].filter((controller) => !asking.has(controller));
  assert.deepEqual(silent.sort(), SILENT_CONTROLLERS);
});

// The last of each asker; `npm run test:long` has them all.
for (const question of new Map([...whole.questions].map((one) => [askerOf(one), one])).values()) {
  test(`a stop does not wait for the answer to ${question}`, async () => {
    const took = await new ObservedLife(question).live();
    assert.ok(took <= LIMIT, `it took ${took / SECOND} s`);
  });
}
