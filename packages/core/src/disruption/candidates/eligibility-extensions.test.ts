// Which candidates the methods leave alone beyond upstream's rules (spec 09 A2, B3, B4).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { renderIneligibility } from './block-text.ts';
import type { Candidate } from './candidate.ts';
import { findConsolidationObstacle, findDriftObstacle, findEmptinessObstacle } from './eligibility.ts';
import { disruptionPool, makeCandidate, NOW, pricedType } from '../testing/candidates.ts';

const TYPE = pricedType('t', 1);

type Parts = NonNullable<Parameters<typeof makeCandidate>[3]>;

function candidate(annotations: Readonly<Record<string, string>>, parts: Parts = {}): Candidate {
  return makeCandidate('a', disruptionPool([TYPE], { annotations }), TYPE, parts);
}

const EMPTY = { rescheduleDisruptionCost: 1 };

const emptiness = (one: Candidate) => findEmptinessObstacle(one, NOW)?.kind;
const consolidation = (one: Candidate) => findConsolidationObstacle(one, NOW)?.kind;

test('09/38 without the kind `empty` an empty node stays, and no other method takes it', () => {
  const kept = candidate({ 'consolidation-methods': 'single-delete,multi-delete' }, EMPTY);
  assert.equal(emptiness(kept), 'MethodOff');
  assert.equal(consolidation(kept), 'Empty');
  assert.equal(emptiness(candidate({ 'consolidation-methods': 'empty' }, EMPTY)), undefined);
  assert.equal(emptiness(candidate({}, EMPTY)), undefined);
});

test('09/39 an emptied node waits for one minute and a half-used one for two hours', () => {
  const annotations = { 'consolidate-after': 'empty=1m,underutilized=2h' };
  const quiet = (milliseconds: number, parts: Parts = {}) =>
    candidate(annotations, { lastPodEvent: NOW - milliseconds, ...parts });
  assert.equal(emptiness(quiet(59 * SECOND, EMPTY)), 'NotConsolidatable');
  assert.equal(emptiness(quiet(60 * SECOND, EMPTY)), undefined);
  assert.equal(consolidation(quiet(2 * HOUR - SECOND)), 'NotConsolidatable');
  assert.equal(consolidation(quiet(2 * HOUR)), undefined);
});

test('a wait that is missing is consolidateAfter of the pool, and `Never` turns one of the two off', () => {
  const pool = disruptionPool([TYPE], {
    annotations: { 'consolidate-after': 'empty=1m' },
    disruption: { consolidateAfter: '1h', consolidationPolicy: 'WhenEmptyOrUnderutilized', budgets: [] },
  });
  const quiet = (milliseconds: number) => makeCandidate('a', pool, TYPE, { lastPodEvent: NOW - milliseconds });
  assert.equal(consolidation(quiet(59 * MINUTE)), 'NotConsolidatable');
  assert.equal(consolidation(quiet(60 * MINUTE)), undefined);
  const never = { 'consolidate-after': 'underutilized=Never' };
  assert.equal(consolidation(candidate(never)), 'ConsolidationDisabled');
  assert.equal(emptiness(candidate(never, EMPTY)), undefined);
});

test('09/41 a node younger than the minimum age is not consolidated, but drift takes it', () => {
  const aged = (age: number, parts: Parts = {}) =>
    candidate(
      { 'min-node-age': '30m' },
      { created: NOW - age, conditions: ['Initialized', 'Consolidatable', 'Drifted'], ...parts },
    );
  const young = aged(29 * MINUTE);
  const why = findConsolidationObstacle(young, NOW);
  assert.equal(why && renderIneligibility(why), "Node is younger than the pool's minimum age (30m)");
  assert.equal(emptiness(aged(29 * MINUTE, EMPTY)), 'TooYoung');
  assert.equal(consolidation(aged(30 * MINUTE)), undefined);
  assert.equal(emptiness(aged(30 * MINUTE, EMPTY)), undefined);
  assert.equal(findDriftObstacle(young), undefined);
  const unreadable = findConsolidationObstacle(candidate({ 'min-node-age': 'a day' }), NOW);
  assert.equal(unreadable && renderIneligibility(unreadable), "The pool's minimum age cannot be read");
});

test('09/10 a node born of a split is left alone for half an hour, unless it is empty', () => {
  const born = (age: number, parts: Parts = {}) =>
    candidate({}, { annotations: { 'karpenter-ts.dev/split': '2' }, created: NOW - age, ...parts });
  assert.equal(consolidation(born(30 * MINUTE - SECOND)), 'RecentlySplit');
  assert.equal(consolidation(born(30 * MINUTE)), undefined);
  assert.equal(emptiness(born(MINUTE, EMPTY)), undefined);
});
