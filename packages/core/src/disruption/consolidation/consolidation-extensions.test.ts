// What consolidation does beyond upstream, as NodePools ask for it by annotation (spec 09 A2, A5, B3).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL } from '@karpenter-ts/apis';
import { MINUTE } from '@karpenter-ts/runtime';
import type { Candidate } from '../candidates/candidate.ts';
import { chooseOption, type ConsolidationContext } from './consolidation-option.ts';
import { renderNoConsolidation } from './consolidation-text.ts';
import type { Simulation } from '../simulation/simulator.ts';
import { contextOf, disruptionPool, makeCandidate, NOW, pricedType, simulationOf } from '../testing/candidates.ts';

/** The decision, with the types of each replacement, or why there is none. */
function outcome(candidates: readonly Candidate[], simulation: Simulation, context: ConsolidationContext): string {
  const option = chooseOption(candidates, simulation, context);
  if (option.decision === 'no-op') return renderNoConsolidation(option.why) ?? option.why.kind;
  const types = option.replacements.map(({ planned }) => planned.instanceTypes.join('|'));
  return [option.decision, ...types].join(' ');
}

const BIG = pricedType('big', 0.4, { cpu: '8' });

/** A node at 0.40 whose pods need two nodes of this price. */
function split(
  price: number,
  annotations: Readonly<Record<string, string>>,
  parts: Partial<ConsolidationContext> = {},
) {
  const small = pricedType('small', price);
  const pool = disruptionPool([BIG, small], { annotations, limits: parts.splits && { cpu: '12' } });
  const candidate = makeCandidate('a', pool, BIG, { price: 0.4 });
  return outcome([candidate], simulationOf(pool, [[small], [small]]), contextOf([pool], parts));
}

test('09/7 two nodes replace one where each costs less than its share of what may be spent', () => {
  assert.equal(split(0.15, { 'consolidation-max-replacements': '2' }), 'replace small small');
  assert.equal(split(0.15, {}), "Can't remove without creating 2 candidates");
  assert.equal(split(0.15, { 'consolidation-max-replacements': '1' }), "Can't remove without creating 2 candidates");
});

test('09/8 two nodes that save less than a split must save replace nothing', () => {
  assert.equal(split(0.18, { 'consolidation-max-replacements': '2' }), "Can't replace with 2 cheaper nodes");
  assert.equal(
    split(0.18, { 'consolidation-max-replacements': '2', 'split-min-savings': '5%' }),
    'replace small small',
  );
  const both = { 'consolidation-max-replacements': '2', 'split-min-savings': '5%', 'min-savings': '0.05/h' };
  assert.equal(split(0.18, both), "Can't replace with 2 cheaper nodes");
});

test('what may be spent is divided in proportion to the cheapest price of each new node', () => {
  const [small, medium, dear] = [pricedType('small', 0.05), pricedType('medium', 0.2), pricedType('dear', 0.28)];
  const pool = disruptionPool([BIG, small, medium, dear], { annotations: { 'consolidation-max-replacements': '2' } });
  const candidate = makeCandidate('a', pool, BIG, { price: 0.4 });
  // The cap of 0.34 is divided into 0.068 and 0.272.
  const simulation = simulationOf(pool, [
    [small, medium],
    [medium, dear],
  ]);
  assert.equal(outcome([candidate], simulation, contextOf([pool])), 'replace small medium');
});

test('09/11 old and new nodes together must keep to the limits of the pool', () => {
  const splits = { now: NOW, isSplitting: () => false, capacityOf: () => ({ cpu: '8' }) };
  const annotations = { 'consolidation-max-replacements': '2' };
  assert.match(
    split(0.15, annotations, { splits }),
    /^Can't replace with several nodes, cpu of old and new nodes exceeds/,
  );
  const roomy = { ...splits, capacityOf: () => ({ cpu: '4' }) };
  assert.equal(split(0.15, annotations, { splits: roomy }), 'replace small small');
});

test('a pool is split once at a time, and no node younger than ten minutes', () => {
  const small = pricedType('small', 0.15);
  const pool = disruptionPool([BIG, small], { annotations: { 'consolidation-max-replacements': '3' } });
  const simulation = simulationOf(pool, [[small], [small]]);
  const busy = { splits: { now: NOW, isSplitting: (name: string) => name === 'default', capacityOf: () => ({}) } };
  const aged = (age: number, parts: Partial<ConsolidationContext> = {}) =>
    outcome([makeCandidate('a', pool, BIG, { price: 0.4, created: NOW - age })], simulation, contextOf([pool], parts));
  assert.equal(aged(10 * MINUTE), 'replace small small');
  assert.equal(aged(10 * MINUTE - 1000), "Can't remove without creating 2 candidates");
  assert.equal(aged(60 * MINUTE, busy), "Can't remove without creating 2 candidates");
});

test('as many nodes may replace several candidates as the strictest of their pools permits', () => {
  const small = pricedType('small', 0.15);
  const [one, two] = ['2', '1'].map((most, i) =>
    disruptionPool([BIG, small], { name: `pool-${i}`, annotations: { 'consolidation-max-replacements': most } }),
  );
  const candidates = [makeCandidate('a', one!, BIG, { price: 0.4 }), makeCandidate('b', two!, BIG, { price: 0.4 })];
  const simulation = simulationOf(one!, [[small], [small]]);
  assert.equal(outcome(candidates, simulation, contextOf([one!, two!])), "Can't remove without creating 2 candidates");
  assert.equal(outcome(candidates.slice(0, 1), simulation, contextOf([one!, two!])), 'replace small small');
});

test('a split buys no type that a candidate has at that price already', () => {
  const [small, other] = [pricedType('small', 0.15), pricedType('other', 0.16)];
  const pool = disruptionPool([small, other], { annotations: { 'consolidation-max-replacements': '2' } });
  const candidates = ['a', 'b', 'c'].map((name) => makeCandidate(name, pool, small, { price: 0.15 }));
  const simulation = simulationOf(pool, [
    [small, other],
    [small, other],
  ]);
  assert.equal(outcome(candidates, simulation, contextOf([pool])), 'replace other other');
});

test('each node of a split of spot nodes has fifteen types to choose from, as a single one has', () => {
  const cheap = Array.from({ length: 16 }, (_, i) =>
    pricedType(`t${String(i).padStart(2, '0')}`, 1, { spot: 0.1 + i / 1000 }),
  );
  const pool = disruptionPool([BIG, ...cheap], { annotations: { 'consolidation-max-replacements': '2' } });
  const candidate = makeCandidate('a', pool, BIG, { price: 0.4, capacityType: 'spot' });
  const withTypes = (count: number, parts: Partial<ConsolidationContext> = {}) => {
    const types = cheap.slice(0, count);
    return chooseOption([candidate], simulationOf(pool, [types, types]), contextOf([pool], parts));
  };
  const bought = withTypes(16);
  assert.equal(bought.decision, 'replace');
  assert.deepEqual(
    bought.decision === 'replace' && bought.replacements.map((one) => one.instanceTypes.length),
    [15, 15],
  );
  const few = withTypes(14);
  assert.equal(few.decision === 'no-op' && few.why.kind, 'SpotFlexibility');
  const off = withTypes(16, { spotToSpot: false });
  assert.equal(off.decision === 'no-op' && off.why.kind, 'SpotToSpotDisabled');
});

test('a split that may be of spot is of spot, so that a shortage fails instead of costing more', () => {
  const small = pricedType('small', 0.5, { spot: 0.1 });
  const pool = disruptionPool([BIG, small], { annotations: { 'consolidation-max-replacements': '2' } });
  const simulation = simulationOf(pool, [[small], [small]]);
  const option = chooseOption([makeCandidate('a', pool, BIG, { price: 0.4 })], simulation, contextOf([pool]));
  assert.equal(option.decision, 'replace');
  for (const { planned } of option.decision === 'replace' ? option.replacements : []) {
    assert.deepEqual([...(planned.requirements.get(CAPACITY_TYPE_LABEL)?.values ?? [])], ['spot']);
  }
});

/** A node at 0.20 that a node of this price could replace. */
function replace(price: number, annotations: Readonly<Record<string, string>>): string {
  const small = pricedType('small', price);
  const pool = disruptionPool([BIG, small], { annotations });
  return outcome([makeCandidate('a', pool, BIG, { price: 0.2 })], simulationOf(pool, [[small]]), contextOf([pool]));
}

test('09/17 a replacement must save the minimum, and says what it would save', () => {
  assert.equal(
    replace(0.185, { 'min-savings': '10%' }),
    'Saving $0.015/h (7.5%) is below the minimum of nodepool "default" (10%)',
  );
  assert.equal(replace(0.18, { 'min-savings': '10%' }), 'replace small');
  assert.equal(replace(0.185, {}), 'replace small');
  assert.equal(
    replace(0.17, { 'min-savings': '10%,0.05/h' }),
    'Saving $0.03/h (15%) is below the minimum of nodepool "default" (10%,0.05/h)',
  );
  assert.equal(replace(0.15, { 'min-savings': '10%,0.05/h' }), 'replace small');
});

test('of several types those stay that save the minimum', () => {
  const [cheap, dear] = [pricedType('cheap', 0.1), pricedType('dear', 0.19)];
  const pool = disruptionPool([BIG, cheap, dear], { annotations: { 'min-savings': '10%' } });
  const candidate = makeCandidate('a', pool, BIG, { price: 0.2 });
  assert.equal(outcome([candidate], simulationOf(pool, [[cheap, dear]]), contextOf([pool])), 'replace cheap');
});

test('09/18 a deletion needs to save a minimum only where the pool says so', () => {
  const remove = (annotations: Readonly<Record<string, string>>) => {
    const pool = disruptionPool([BIG], { annotations });
    return outcome([makeCandidate('a', pool, BIG, { price: 0.03 })], simulationOf(pool, []), contextOf([pool]));
  };
  assert.equal(remove({ 'min-savings': '0.05/h' }), 'delete');
  assert.equal(
    remove({ 'min-savings': '0.05/h', 'min-savings-delete': 'true' }),
    'Saving $0.03/h (100%) is below the minimum of nodepool "default" (0.05/h)',
  );
});

test('of several pools the strictest minimum holds', () => {
  const small = pricedType('small', 0.35);
  const lax = disruptionPool([BIG, small], { name: 'lax', annotations: { 'min-savings': '5%' } });
  const strict = disruptionPool([BIG, small], { name: 'strict', annotations: { 'min-savings': '20%' } });
  const candidates = [makeCandidate('a', lax, BIG, { price: 0.2 }), makeCandidate('b', strict, BIG, { price: 0.2 })];
  assert.equal(
    outcome(candidates, simulationOf(lax, [[small]]), contextOf([lax, strict])),
    'Saving $0.05/h (12.5%) is below the minimum of nodepool "strict" (20%)',
  );
});

test('09/118 a minimum that cannot be read stops replacements and nothing else', () => {
  assert.equal(
    replace(0.01, { 'min-savings': '10' }),
    'Saving $0.19/h (95%) is below the minimum of nodepool "default" (it cannot be read)',
  );
  const pool = disruptionPool([BIG], { annotations: { 'min-savings': '10' } });
  assert.equal(outcome([makeCandidate('a', pool, BIG)], simulationOf(pool, []), contextOf([pool])), 'delete');
});

test('09/37 a kind of consolidation that a pool does not list is not carried out, and the event says so', () => {
  const annotations = { 'consolidation-methods': 'empty,single-delete,multi-delete' };
  const small = pricedType('small', 0.1);
  const pool = disruptionPool([BIG, small], { annotations });
  const other = disruptionPool([BIG, small], { name: 'other' });
  const [a, b] = [makeCandidate('a', pool, BIG), makeCandidate('b', other, BIG)];
  const context = contextOf([pool, other]);
  assert.equal(
    outcome([a], simulationOf(pool, [[small]]), context),
    'nodepool "default" does not allow single-replace',
  );
  assert.equal(outcome([a], simulationOf(pool, []), context), 'delete');
  assert.equal(
    outcome([b, a], simulationOf(pool, [[small]]), context),
    'nodepool "default" does not allow multi-replace',
  );
  assert.equal(outcome([b, a], simulationOf(pool, []), context), 'delete');
  assert.equal(outcome([b], simulationOf(other, [[small]]), context), 'replace small');
});
