import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '@karpenter-ts/kubernetes';
import { pendingPod } from '../testing/cluster-objects.ts';
import { TimeSlices } from '../state/time-slices.ts';
import { countTurns } from '../testing/turns.ts';
import { startProvisioningEnvironment } from '../provisioning/testing/provisioning-environment.ts';
import { ConsolidationWarnings } from '../provisioning/consolidation-warnings.ts';
import { selectPendingPods } from './pending-pods.ts';

test('others get their turn after each unbound pod, also after those that are not pending', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const { deps } = env;
  for (let i = 0; i < 10; i++) {
    await env.create(PODS, pendingPod(`waiting-${i}`));
    await env.create(PODS, pendingPod(`unseen-${i}`, { status: { phase: 'Pending' } })); // by the scheduler
  }
  let names: readonly string[] = [];
  const turns = await countTurns(async (slices) => {
    names = (await selectPendingPods(deps, slices)).selected.map(({ metadata }) => metadata.name);
  });
  assert.ok(turns >= 20, String(turns));
  assert.deepEqual(
    names,
    Array.from({ length: 10 }, (_, i) => `waiting-${i}`),
  );
});

test('what is ignored, and why, is data: nobody is told by the selection, and equal reasons are one object', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const nodeSelector = { 'karpenter.sh/custom': 'x' };
  for (const name of ['a', 'b']) await env.create(PODS, pendingPod(name, { nodeSelector }));
  await env.create(PODS, pendingPod('fine'));
  const slices = new TimeSlices(env.clock, new AbortController().signal);
  const { selected, ignored } = await selectPendingPods(env.deps, slices);
  assert.deepEqual(
    selected.map(({ metadata }) => metadata.name),
    ['fine'],
  );
  assert.deepEqual(
    ignored.map(({ pod, rejection }) => [pod.metadata.name, rejection.problems.map(({ why }) => why)]),
    [
      ['a', ['Requirement']],
      ['b', ['Requirement']],
    ],
  );
  assert.equal(ignored[0]!.rejection, ignored[1]!.rejection);
  assert.deepEqual([env.published, env.lines(), env.cluster.decisions.size], [[], [], 0]);
});

test('others get their turn after each pod whose preferences are looked at', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const pods = Array.from({ length: 20 }, (_, i) => pendingPod(`p${i}`));
  const warnings = new ConsolidationWarnings(env.clock);
  assert.ok((await countTurns((slices) => warnings.report(pods, slices, env.logger))) >= 20);
});
