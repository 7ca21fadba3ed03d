import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DO_NOT_DISRUPT, NODE_CLAIMS, NODE_POOLS, ZONE_LABEL } from '@karpenter-ts/apis';
import { NODES, POD_DISRUPTION_BUDGETS, type PodDisruptionBudget, PODS, timestamp } from '@karpenter-ts/kubernetes';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { MINUTE } from '@karpenter-ts/runtime';
import { ladder } from '@karpenter-ts/scheduling/testing';
import { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import { pendingPod } from '../../testing/cluster-objects.ts';
import { type Candidate, candidateName } from '../candidates/candidate.ts';
import { RememberedOptions } from './remembered-options.ts';
import { ConsolidationView, describeOption } from '../testing/consolidation-view.ts';
import {
  type DisruptionEnvironment,
  NO_BUDGETS,
  startDisruptionEnvironment,
} from '../testing/disruption-environment.ts';

const { signal } = new AbortController();

/** A cluster of four nodes with pods, and a memory that is asked about all of them. */
async function start(t: TestContext) {
  const env = await startDisruptionEnvironment(t, { instanceTypes: ladder(6) });
  await env.addPool('default', { disruption: { ...NO_BUDGETS, consolidateAfter: '1m' } });
  for (const name of ['a', 'b', 'c', 'd']) {
    await env.addNode(name, { type: name === 'd' ? 'fake-it-0' : 'fake-it-3' });
    await env.addPod(`p-${name}`, name, { labels: { app: name }, requests: { cpu: name === 'd' ? '500m' : '2500m' } });
  }
  const podDisruptionBudgets = new PodDisruptionBudgets(env.caches);
  const memory = new RememberedOptions(env.clock);
  /** What the memory says about each candidate, what a look says now, and whose options were computed for it. */
  const ask = async () => {
    const read = await ConsolidationView.read(env, podDisruptionBudgets);
    const computed: string[] = [];
    const find = memory.remembering({
      findOption: (candidates: readonly Candidate[]) => {
        computed.push(...candidates.map(candidateName));
        return read.find(candidates);
      },
      simulator: read.simulators.for('Quiet'),
      state: read.state,
    });
    for (const candidate of read.candidates) {
      const remembered = await find([candidate], signal);
      const fresh = await read.find([candidate]);
      assert.deepEqual(describeOption(remembered), describeOption(fresh), candidateName(candidate));
      assert.deepEqual(remembered.candidates, [candidate]);
    }
    return computed;
  };
  return { env, memory, ask };
}

test('09/13 what is known of an unchanged cluster is not computed again', async (t) => {
  const { ask, memory } = await start(t);
  assert.equal((await ask()).length, 4);
  assert.deepEqual([await ask(), memory.size], [[], 4]);
});

test('09/13 changes that no plan reads are no changes', async (t) => {
  const { ask, env } = await start(t);
  await ask();
  await env.change(PODS, 'default/p-a', { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  await env.change(NODES, 'node-of-b', { status: { conditions: [{ type: 'DiskPressure', status: 'False' }] } });
  await env.change(NODE_POOLS, 'default', { status: { nodes: 4 } });
  assert.deepEqual(await ask(), ['node-of-a']); // its pod may matter to a PodDisruptionBudget now
});

test('sets of several candidates are not remembered', async (t) => {
  const { env } = await start(t);
  const read = await ConsolidationView.read(env);
  let calls = 0;
  const memory = new RememberedOptions(env.clock);
  const findOption = (candidates: readonly Candidate[]) => {
    calls++;
    return read.find(candidates);
  };
  const find = memory.remembering({ findOption, simulator: read.simulators.for('Quiet'), state: read.state });
  for (let i = 0; i < 2; i++) await find(read.candidates.slice(0, 2), signal);
  assert.deepEqual([calls, memory.size], [2, 0]);
});

test('a pod with do-not-disrupt is never relied on, because its time ends without an event', async (t) => {
  const { ask, env } = await start(t);
  await env.change(PODS, 'default/p-a', {
    metadata: { annotations: { [DO_NOT_DISRUPT]: '1m' } },
    status: { startTime: timestamp(env.clock.now() - 2 * MINUTE) },
  });
  await ask();
  assert.deepEqual(await ask(), ['node-of-a']);
});

type Edit = (env: DisruptionEnvironment, i: number, name: string) => Promise<unknown>;

/** Changes of everything that an option depends on, and some of what it does not. */
const EDITS: readonly Edit[] = [
  (env, i, name) => env.addPod(`new-${i}`, name, { requests: { cpu: '700m' } }),
  (env, i) => env.create(PODS, pendingPod(`waiting-${i}`, { requests: { cpu: '1500m' } })),
  (env, i) => env.addNode(`extra-${i}`, { type: 'fake-it-1' }),
  (env, _i, name) => env.change(NODE_CLAIMS, name, { status: { lastPodEventTime: timestamp(env.clock.now()) } }),
  (env) => env.clock.advance(1 * MINUTE),
  (env, _i, name) => env.change(NODES, `node-of-${name}`, { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }),
  (env, _i, name) => env.change(NODES, `node-of-${name}`, { spec: { taints: [] } }),
  (env, _i, name) => env.change(NODES, `node-of-${name}`, { metadata: { labels: { [ZONE_LABEL]: 'test-zone-2' } } }),
  (env, i) => Promise.resolve(env.provider.offer(ladder(4 + (i % 5)))),
  (env, i) =>
    env.create<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, {
      metadata: { name: `budget-${i}`, namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'abcd'[i % 4]! } }, maxUnavailable: i % 2 },
      status: { disruptionsAllowed: 1, observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    }),
  (env, i) => env.change(NODE_POOLS, 'default', { spec: { limits: { cpu: String(10 + i) } } }),
  (env, _i, name) => Promise.resolve(env.cluster.markForDeletion({}, [`fake:///${name}`])),
  (env, _i, name) => env.change(PODS, `default/p-${name}`, { metadata: { labels: { app: 'a' } } }),
  (env, _i, name) => Promise.resolve(env.cluster.nominate(`fake:///${name}`)),
];

test('whatever changes, what is remembered equals what a new look finds', async (t) => {
  for (let seed = 0; seed < 6; seed++) {
    const { env, ask } = await start(t);
    const random = seededRandom(seed);
    for (let i = 0; i < 12; i++) {
      await random.pick(EDITS)(env, i, random.pick(['a', 'b', 'c', 'd']));
      await ask();
      assert.deepEqual((await ask()).length, 0, 'the second look at the same cluster');
    }
  }
});
