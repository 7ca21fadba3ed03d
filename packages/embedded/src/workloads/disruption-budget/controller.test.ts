import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { startCluster } from '../../cluster.ts';
import { simulatedNode } from '../../simulated-node.ts';
import { POD_DISRUPTION_BUDGETS, type PodDisruptionBudget, PODS, timestamp } from '@karpenter-ts/kubernetes';

test('an eviction that was granted is given back when the pod has not gone within two minutes', async (t) => {
  const clock = new VirtualClock();
  const { client, stop } = await startCluster({ clock, seed: 1, nodes: [simulatedNode({ name: 'a' })] });
  t.after(() => clock.runUntil(stop()));
  const metadata = { name: 'web', namespace: 'default' };
  const spec = { containers: [{ name: 'main', image: 'a' }] };
  await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels: { app: 'web' } }, spec });
  const selector = { matchLabels: { app: 'web' } };
  const budget: PodDisruptionBudget = { metadata, spec: { minAvailable: 0, selector } };
  await client.create(POD_DISRUPTION_BUDGETS, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', ...budget });
  await clock.advance(2 * SECOND);
  const body = { status: { disruptedPods: { web: timestamp(clock.now()) } } };
  await client.patch(POD_DISRUPTION_BUDGETS, metadata, { type: 'merge', body }, { subresource: 'status' });
  const isGranted = async (): Promise<boolean> => {
    const { status } = await client.get<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, metadata);
    return status?.disruptedPods?.['web'] !== undefined;
  };
  await clock.advance(2 * MINUTE - 1 * SECOND);
  assert.equal(await isGranted(), true);
  await clock.advance(2 * SECOND);
  assert.equal(await isGranted(), false);
});
