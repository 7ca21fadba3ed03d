import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyWrite, planOf } from './named-plan.ts';
import { randomAwsPlan, randomPlan } from './random-plan.ts';

test('a number is the world of that seed', () => {
  assert.deepEqual(planOf('42'), randomPlan(42));
  assert.deepEqual(planOf('aws:42'), randomAwsPlan(42));
  assert.equal(planOf('aws:42').cloud, 'aws');
});

test('every name in the list is a world, and no two are the same', () => {
  const names = everyWrite();
  assert.equal(new Set(names).size, names.length);
  assert.equal(new Set(names.map((name) => JSON.stringify(planOf(name)))).size, names.length);
});

test('worlds in which only AWS makes trouble have names', () => {
  for (const name of ['aws:interruption', 'aws:lost-answer', 'aws:drought']) {
    assert.ok(planOf(name).steps.every(({ step }) => ['aws', 'scale'].includes(step.kind)));
  }
});

test('a name nobody knows is refused', () => {
  for (const name of [
    '',
    'aws',
    'aws:x',
    'launch',
    'launch:kwok:before',
    'launch:moon:before:1',
    'launch:kwok:before:x',
  ]) {
    assert.throws(() => planOf(name), /there is no world/);
  }
});
