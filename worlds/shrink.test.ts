import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomPlan } from './plan/random-plan.ts';
import { keepParts, partsOf, shrink } from './shrink.ts';

test('what is left fails, and would not without any of its parts', async () => {
  const plan = randomPlan(3);
  const needed = ['p0', 's1', 's3'];
  let runs = 0;
  const parts = await shrink(plan, async (smaller) => {
    runs++;
    return needed.every((part) => isKept(part, smaller));
  });
  assert.deepEqual(parts, needed);
  assert.ok(runs <= 2 * partsOf(plan).length, `${runs} runs`);

  function isKept(part: string, smaller: typeof plan): boolean {
    const [one] = keepParts(plan, [part]).pools;
    const [step] = keepParts(plan, [part]).steps;
    return one ? smaller.pools.includes(one) : smaller.steps.includes(step!);
  }
});

test('a world that always fails shrinks to nothing', async () => {
  assert.deepEqual(await shrink(randomPlan(1), async () => true), []);
});
