import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Candidate } from '../candidates/candidate.ts';
import type { Replacement } from './command.ts';
import { candidateCommandText, dollars, fullCommandText, shortCommandText } from './command-text.ts';
import { candidatesOf, freePool, node, poolOf } from '../testing/cluster-state.ts';
import { plannedNode } from '../testing/plans.ts';

const POOLS = ['p1', 'p2'];

/** Candidates `node-1` and so on, in both pools by turns. */
function candidates(count: number): Promise<readonly Candidate[]> {
  const nodes = Array.from({ length: count }, (_, i) => node(`node-${i + 1}`, { pool: POOLS[i % 2]! }));
  return candidatesOf({ nodes, pools: POOLS.map((name) => poolOf(freePool(name))) });
}

function replacements(count: number): readonly Replacement[] {
  return Array.from({ length: count }, () => ({ planned: plannedNode([]), instanceTypes: [] }));
}

test('04/143 a command before its start is its decision, its nodes and the number of replacements', async () => {
  const text = async (nodes: number, bought = 0) =>
    shortCommandText({ candidates: await candidates(nodes), replacements: replacements(bought) });
  assert.equal(await text(1), 'delete: [node-1]');
  assert.equal(await text(2), 'delete: [node-1, node-2]');
  assert.equal(await text(1, 1), 'replace: [node-1] -> [1 replacement]');
  assert.equal(await text(1, 2), 'replace: [node-1] -> [2 replacements]');
  assert.equal(await text(0), 'no-op: []');
});

test('an event about one of several nodes does not list the others', async () => {
  const several = { candidates: await candidates(3), replacements: replacements(1) };
  assert.equal(
    candidateCommandText(several, several.candidates[1]!),
    'replace: [node-2] (part of 3-node consolidation)',
  );
  const one = { candidates: await candidates(1), replacements: replacements(1) };
  assert.equal(candidateCommandText(one, one.candidates[0]!), 'replace: [node-1] -> [1 replacement]');
});

test('a command in logs has its reason, id, each NodePool once, and what it saves', async () => {
  const command = { reason: 'Underutilized', candidates: await candidates(3), savings: 0.125 } as const;
  assert.equal(
    fullCommandText({ ...command, replacements: replacements(1) }, 'id'),
    'Underutilized/id: replace: nodepools=[p1,p2]: [node-1, node-2, node-3] -> [1 replacement] (savings: $0.12)',
  );
  assert.equal(
    fullCommandText({ ...command, replacements: [] }, 'id'),
    'Underutilized/id: delete: nodepools=[p1,p2]: [node-1, node-2, node-3] (savings: $0.12)',
  );
});

test('amounts have two decimals, rounded as Go does', () => {
  assert.deepEqual([0.125, 1.005, -0.074314, 12].map(dollars), ['$0.12', '$1.00', '$-0.07', '$12.00']);
});
