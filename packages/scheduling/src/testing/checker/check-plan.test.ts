import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROKEN_DECISIONS } from './examples/broken-decisions.ts';
import { BROKEN_NEIGHBOURS } from './examples/broken-neighbours.ts';
import { BROKEN_NODES } from './examples/broken-nodes.ts';
import { checkPlan, RULE_NAMES } from './check-plan.ts';

const CASES = { ...BROKEN_NODES, ...BROKEN_NEIGHBOURS, ...BROKEN_DECISIONS };

for (const [name, { breaks, sound, broken }] of Object.entries(CASES)) {
  test(`the checker rejects ${name}`, () => {
    assert.deepEqual(checkPlan(sound.snapshot, sound.plan, sound.options), []);
    const rules = new Set(checkPlan(broken.snapshot, broken.plan, broken.options).map(({ rule }) => rule));
    assert.deepEqual([...rules].sort(), breaks.toSorted());
  });
}

test('every rule has a plan that breaks it', () => {
  const broken = new Set(Object.values(CASES).map(({ breaks: [rule] }) => rule));
  assert.deepEqual(
    RULE_NAMES.filter((rule) => !broken.has(rule)),
    [],
  );
});
