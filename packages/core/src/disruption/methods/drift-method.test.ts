import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DO_NOT_DISRUPT, INSTANCE_TYPE_LABEL, type NodePool } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { conditionOf, readyPool, runningPod } from '../../testing/cluster-objects.ts';
import { BudgetCounter, countNodes, findAllowances } from '../budgets/budget-allowances.ts';
import { byDriftTime } from '../candidates/candidate-order.ts';
import { findDriftedNode, inDriftOrder, type LookedAt } from './drift-method.ts';
import { findDriftObstacle, selectEligible } from '../candidates/eligibility.ts';
import type { Simulation, SimulationError, Simulator } from '../simulation/simulator.ts';
import { type DescribedNode, freePool, namesOf, node, NOW, poolOf, scan, stateOf } from '../testing/cluster-state.ts';
import { NO_PLAN, plannedNode } from '../testing/plans.ts';

/** The condition Drifted, True since this second of the day. */
function drifted(second: number, status: 'True' | 'False' = 'True') {
  const lastTransitionTime = `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;
  return { ...conditionOf('Drifted', status), lastTransitionTime };
}

function driftedNode(name: string, second: number, parts: Parameters<typeof node>[1] = {}): DescribedNode {
  return node(name, { pods: [runningPod('p', name)], conditions: [drifted(second)], ...parts });
}

const FITS: Simulation = { plan: NO_PLAN, errors: [] };
const TOO_LARGE: SimulationError = {
  kind: 'UninitializedNode',
  pod: runningPod('p', 'n'),
  stateNode: node('n').stateNode,
};
const NO_PLACE: Simulation = { plan: NO_PLAN, errors: [TOO_LARGE] };

type Answer = Simulation | 'CandidateIsDeleting' | Error;

/** Answers by the name of the candidate, that everything fits if nothing is said. Notes who was asked about. */
class FakeSimulator implements Simulator {
  readonly asked: string[] = [];
  readonly #answers: Readonly<Record<string, Answer>>;
  readonly #onAsk: () => void;

  constructor(answers: Readonly<Record<string, Answer>> = {}, onAsk = () => {}) {
    this.#answers = answers;
    this.#onAsk = onAsk;
  }

  simulate: Simulator['simulate'] = (candidates) => {
    const name = namesOf(candidates).join();
    this.asked.push(name);
    this.#onAsk();
    const answer = this.#answers[name] ?? FITS;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
}

interface Parts {
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly nodePools?: readonly NodePool[];
  readonly lookedAt?: LookedAt;
  /** How long each simulation takes. */
  readonly takes?: number;
}

/** What Drift does with these nodes. */
async function drift(nodes: readonly DescribedNode[], parts: Parts = {}) {
  const { answers, nodePools = [freePool('default')], lookedAt = new Set(), takes = 0 } = parts;
  const state = stateOf({ nodes, pools: nodePools.map((nodePool) => poolOf(nodePool)) });
  const { eventual } = await scan(state);
  const { eligible } = selectEligible(eventual.candidates, findDriftObstacle, NOW);
  let elapsed = 0;
  const simulator = new FakeSimulator(answers, () => (elapsed += takes));
  const budgets = new BudgetCounter(findAllowances('Drifted', state, countNodes(state.stateNodes)));
  const search = { candidates: eligible, budgets, simulator, state, clock: { elapsed: () => elapsed }, lookedAt };
  const found = await findDriftedNode(search, new AbortController().signal);
  return {
    ...found,
    chosen: namesOf(found.command?.candidates ?? []),
    asked: simulator.asked,
    refused: namesOf(found.unschedulable.map(({ candidate }) => candidate)),
    isConstrained: budgets.isConstrained,
  };
}

test('04/69 of drifted nodes the one that drifted first goes, one at a time; equal ones by name', async () => {
  const { chosen, asked } = await drift([driftedNode('b', 2), driftedNode('a', 2), driftedNode('c', 1)]);
  assert.deepEqual([chosen, asked], [['c'], ['c']]);
  const nodes = [driftedNode('b', 2), driftedNode('a', 2), driftedNode('c', 1)];
  const { eventual } = await scan(stateOf({ nodes }));
  assert.deepEqual(namesOf(byDriftTime(eventual.candidates)), ['c', 'a', 'b']);
});

test('04/70 04/29 nodes without pods that need another node go first, in the same order', async () => {
  const nodes = [driftedNode('full', 1), driftedNode('b', 3, { pods: [] }), driftedNode('a', 2, { pods: [] })];
  const { eventual } = await scan(stateOf({ nodes }));
  assert.deepEqual(namesOf(inDriftOrder(eventual.candidates)), ['a', 'b', 'full']);
});

test('04/71 a node with pods that have no place is told, and the next one is looked at', async () => {
  const nodes = [driftedNode('a', 1), driftedNode('b', 2), driftedNode('c', 3)];
  const { chosen, refused, unschedulable } = await drift(nodes, { answers: { a: NO_PLACE } });
  assert.deepEqual([chosen, refused], [['b'], ['a']]);
  assert.deepEqual(unschedulable[0]!.errors, [TOO_LARGE]);
});

test('a node that is deleting meanwhile is skipped, another failure fails the search', async () => {
  const nodes = [driftedNode('a', 1), driftedNode('b', 2)];
  const { chosen, refused } = await drift(nodes, { answers: { a: 'CandidateIsDeleting' } });
  assert.deepEqual([chosen, refused], [['b'], []]);
  await assert.rejects(drift(nodes, { answers: { a: new Error('stopped') } }), /stopped/);
});

test('04/72 a drifted node is deleted if its pods fit elsewhere, otherwise replaced by as many nodes as they need', async () => {
  const labels = { [INSTANCE_TYPE_LABEL]: 'large' };
  const { command: deletion } = await drift([driftedNode('a', 1, { labels })]);
  assert.deepEqual([deletion!.replacements, deletion!.savings, deletion!.plan], [[], 2, NO_PLAN]);
  const bought = plannedNode(['small', 'large', 'gone']);
  const plan = { ...NO_PLAN, newNodes: [bought, bought, bought] };
  const { command } = await drift([driftedNode('a', 1, { labels })], { answers: { a: { plan, errors: [] } } });
  const { method, reason, consolidationType, replacements, savings } = command!;
  assert.deepEqual([method, reason, consolidationType, replacements.length], ['Drift', 'Drifted', '', 3]);
  assert.equal(savings, -1);
  assert.deepEqual(
    replacements[0]!.instanceTypes.map(({ name }) => name),
    ['small', 'large'],
  );
});

test('04/73 drifted nodes go although consolidation is disabled and the node is not consolidatable', async () => {
  const nodePools = [freePool('default', { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' })];
  const { chosen } = await drift([driftedNode('a', 1, { pods: [] })], { nodePools });
  assert.deepEqual(chosen, ['a']);
});

test('04/76 a pod that may not go is no obstacle if the NodeClaim has a terminationGracePeriod', async () => {
  const pods = [runningPod('p', 'a', { annotations: { [DO_NOT_DISRUPT]: 'true' } })];
  const { chosen } = await drift([driftedNode('a', 1, { pods, claim: { terminationGracePeriod: '1h' } })]);
  assert.deepEqual(chosen, ['a']);
  assert.deepEqual((await drift([driftedNode('a', 1, { pods })])).chosen, []);
});

test('04/175 04/58 Drift looks at drifted nodes of dynamic pools only', async () => {
  const nodes = [driftedNode('a', 1, { conditions: [drifted(1, 'False')] }), driftedNode('b', 1, { conditions: [] })];
  assert.deepEqual((await drift(nodes)).asked, []);
  const nodePools = [readyPool('default', { replicas: 1, disruption: freePool('x').spec.disruption })];
  assert.deepEqual((await drift([driftedNode('a', 1)], { nodePools })).asked, []);
});

test('04/78 a pool without budget is skipped, which is remembered, and the next pool has its turn', async () => {
  const nodes = [driftedNode('a', 1, { pool: 'none' }), driftedNode('b', 2, { pool: 'some' })];
  const nodePools = [freePool('none', { budgets: [{ nodes: '0' }] }), freePool('some')];
  const { chosen, asked, isConstrained } = await drift(nodes, { nodePools });
  assert.deepEqual([chosen, asked, isConstrained], [['b'], ['b'], true]);
});

test('a search that takes a minute ends, and the next one goes on where it stopped', async () => {
  const nodes = Array.from({ length: 5 }, (_, i) => driftedNode(`n${i}`, i));
  const answers = Object.fromEntries(nodes.map(({ stateNode }) => [stateNode.existing.name, NO_PLACE]));
  const first = await drift(nodes, { answers, takes: 20 * SECOND });
  assert.deepEqual([first.command, first.asked], [undefined, ['n0', 'n1', 'n2']]);
  const second = await drift(nodes, { answers, takes: 10 * SECOND, lookedAt: first.lookedAt });
  assert.deepEqual(second.asked, ['n3', 'n4', 'n0', 'n1', 'n2']);
  assert.equal(second.lookedAt.size, 0);
  const third = await drift(nodes, { answers: { ...answers, n3: FITS }, takes: MINUTE, lookedAt: first.lookedAt });
  assert.deepEqual([third.chosen, third.lookedAt.size], [['n3'], 0]);
});

test('searches that always run out of time look at every candidate in turn', async () => {
  const nodes = Array.from({ length: 5 }, (_, i) => driftedNode(`n${i}`, i));
  const answers = Object.fromEntries(nodes.map(({ stateNode }) => [stateNode.existing.name, NO_PLACE]));
  let lookedAt: LookedAt = new Set(['fake:///gone']);
  const asked: string[][] = [];
  for (let i = 0; i < 4; i++) {
    const search = await drift(nodes, { answers, takes: 20 * SECOND, lookedAt });
    asked.push(search.asked);
    lookedAt = search.lookedAt;
  }
  assert.deepEqual(asked, [
    ['n0', 'n1', 'n2'],
    ['n3', 'n4', 'n0'],
    ['n1', 'n2', 'n3'],
    ['n4', 'n0', 'n1'],
  ]);
  assert.ok(!lookedAt.has('fake:///gone'));
});
