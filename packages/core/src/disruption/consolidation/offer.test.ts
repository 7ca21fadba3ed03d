import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, type RequirementSpec, ZONE_LABEL } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { fakeType, makeOffering } from '@karpenter-ts/scheduling/testing';
import type { Candidate } from '../candidates/candidate.ts';
import { contextOf, disruptionPool, makeCandidate, pricedType, simulationOf } from '../testing/candidates.ts';
import { NO_PLAN } from '../testing/plans.ts';
import { chooseOption, replaceBy } from './consolidation-option.ts';
import { offerOf } from './offer.ts';

const OLD = pricedType('old', 0.5);
/** Cheap as spot, dear on demand. */
const MIXED = pricedType('mixed', 0.4, { spot: 0.1 });
const ON_DEMAND: readonly RequirementSpec[] = [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] }];

/** What it saves, in cents, to replace a node at 0.50 by one of each of these lists of types. */
function savings(newNodes: readonly (readonly InstanceType[])[], requirements: readonly RequirementSpec[] = []) {
  const pool = disruptionPool([...newNodes.flat(), OLD]);
  const candidates = [makeCandidate('a', pool, OLD, { price: 0.5 })];
  const { plan } = simulationOf(pool, newNodes, requirements);
  const offers = plan.newNodes.map((planned) => offerOf(planned, contextOf([pool])));
  return cents(replaceBy(offers, { candidates, plan }).savings);
}

const cents = (dollars: number): number => Math.round(dollars * 100);

test('04/123 04/180 savings count the first type of each new node at the cheapest price that its requirements admit', () => {
  const dearer = pricedType('dearer', 0.45);
  assert.equal(savings([[pricedType('one', 0.2), dearer], [pricedType('other', 0.15)]]), 15);
  assert.equal(savings([[MIXED]], ON_DEMAND), 10);
  assert.equal(savings([[MIXED]]), 40);
  const offerings = [makeOffering('test-zone-1', 'on-demand', 0.2), makeOffering('test-zone-2', 'on-demand', 0.45)];
  const bound: readonly RequirementSpec[] = [{ key: ZONE_LABEL, operator: 'In', values: ['test-zone-2'] }];
  assert.equal(savings([[fakeType('zonal', { offerings })]], bound), 5);
});

test('04/180 a new node whose price nobody knows costs nothing, and without candidates nothing is saved', () => {
  assert.equal(savings([[fakeType('unsold', { offerings: [] })]]), 50);
  assert.equal(savings([[]]), 50);
  const option = chooseOption([], { plan: NO_PLAN, errors: [] }, contextOf([]));
  assert.ok(option.decision !== 'no-op');
  assert.equal(option.savings, 0);
});

test('04/123 the price of spot is no saving for a pool that buys on demand only', () => {
  const pool = disruptionPool([MIXED, OLD]);
  const candidates: readonly Candidate[] = [makeCandidate('a', pool, OLD, { price: 0.5 })];
  const option = chooseOption(candidates, simulationOf(pool, [[MIXED]], ON_DEMAND), contextOf([pool]));
  assert.ok(option.decision === 'replace');
  assert.equal(cents(option.savings), 10);
});
