import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEEDED_BUGS } from './faults/seeded-bug.ts';
import { planOf } from './plan/named-plan.ts';
import { randomPlan } from './plan/random-plan.ts';
import { runWorld } from './run-world.ts';

const FLEET = 10;
const KWOK = 12;
const AWS = 7;

test('equal seeds make equal worlds, to the last request', async () => {
  for (const seed of [FLEET, KWOK]) {
    assert.deepEqual(randomPlan(seed), randomPlan(seed));
    const [first, second] = [await runWorld(randomPlan(seed)), await runWorld(randomPlan(seed))];
    assert.equal(first.digest, second.digest);
    assert.deepEqual(first.violations, []);
  }
});

test('equal seeds make equal worlds with AWS, too', async () => {
  const name = `aws:${AWS}`;
  assert.deepEqual(planOf(name), planOf(name));
  const [first, second] = [await runWorld(planOf(name)), await runWorld(planOf(name))];
  assert.equal(first.digest, second.digest);
  assert.deepEqual(first.violations, []);
});

test('different seeds make different worlds', () => {
  assert.notDeepEqual({ ...randomPlan(2), seed: 1 }, randomPlan(1));
});

test('a bug is noticed, and ends the world', async () => {
  const bug = SEEDED_BUGS['forgets instances'];
  const { violations, journal } = await runWorld(planOf('delete-claim:fleet:after:25'), { bug });
  assert.equal(violations[0]?.invariant, 'leak');
  assert.match(journal.join('\n'), /VIOLATION leak: instance fake:/);
});

test('a spot instance is drained before its two minutes are over, and it is noticed if not', async () => {
  assert.deepEqual((await runWorld(planOf('aws:interruption'))).violations, []);
  const bug = SEEDED_BUGS['drains nothing that is interrupted'];
  const { violations } = await runWorld(planOf('aws:interruption'), { bug });
  assert.equal(violations[0]?.invariant, 'drain');
});
