import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { NODE_CLAIMS, TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import { SECOND } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { interruptNodeClaim } from './interrupt-node-claim.ts';
import type { InterruptionKind } from './interruption.ts';

const ID = 'aws:///us-west-2a/i-1';

async function environment(t: TestContext, annotations: Readonly<Record<string, string>> = {}) {
  const env = await ProviderEnvironment.start(t);
  await env.addNodeClaim('claim-1', { finalizers: ['test/keep'], annotations, status: { providerID: ID } });
  const interrupt = async (kind: InterruptionKind) => {
    const nodeClaim = env.caches.nodeClaims.get('claim-1')!;
    await env.clock.runUntil(interruptNodeClaim({ nodeClaim, kind, logger: env.logger }, env, NEVER));
    await env.clock.flush();
  };
  return { env, interrupt };
}

test('an interruption deletes the NodeClaim and tells it and its Node', async (t) => {
  const { env, interrupt } = await environment(t);
  await env.addNode('node-1', ID);
  await interrupt('scheduled_change');
  assert.deepEqual(env.deleted, ['claim-1: scheduled_change']);
  assert.deepEqual(env.eventTexts(), [
    'NodeClaim/claim-1 InstanceUnhealthy: An unhealthy warning was triggered for the instance',
    'Node/node-1 InstanceUnhealthy: An unhealthy warning was triggered for the instance',
    'NodeClaim/claim-1 TerminatingOnInterruption: Interruption triggered termination for the NodeClaim',
    'Node/node-1 TerminatingOnInterruption: Interruption triggered termination for the Node',
  ]);
  const line = env.logger.lines.find(({ message }) => message === 'initiating delete from interruption message');
  const { messageKind, NodeClaim, Node, action } = line!.fields;
  assert.deepEqual(
    [messageKind, String(NodeClaim), String(Node), action],
    ['scheduled_change', 'claim-1', 'node-1', 'CordonAndDrain'],
  );
  assert.equal((await env.findNodeClaim('claim-1'))?.metadata.annotations?.[TERMINATION_TIMESTAMP], undefined);
});

test('a recommendation is told and nothing else', async (t) => {
  const { env, interrupt } = await environment(t);
  await interrupt('rebalance_recommendation');
  assert.deepEqual(env.deleted, []);
  assert.deepEqual(env.eventTexts(), [
    'NodeClaim/claim-1 SpotRebalanceRecommendation: Spot rebalance recommendation was triggered',
  ]);
});

test('a broken instance is not drained: its deadline is now', async (t) => {
  const { env, interrupt } = await environment(t);
  await env.clock.advance(90 * SECOND);
  await interrupt('system_status');
  const { annotations } = (await env.findNodeClaim('claim-1'))!.metadata;
  assert.equal(annotations?.[TERMINATION_TIMESTAMP], '2026-01-01T00:01:30Z');
  assert.deepEqual(env.deleted, ['claim-1: system_status']);
});

test('07/110, 08/119 a deadline that is set already stays', async (t) => {
  const { env, interrupt } = await environment(t, { [TERMINATION_TIMESTAMP]: '2026-01-01T00:00:30Z' });
  await env.clock.advance(90 * SECOND);
  await interrupt('instance_status');
  const { annotations } = (await env.findNodeClaim('claim-1'))!.metadata;
  assert.equal(annotations?.[TERMINATION_TIMESTAMP], '2026-01-01T00:00:30Z');
});

test('a NodeClaim that is being deleted is drained no longer when its instance breaks, and not deleted again', async (t) => {
  const { env, interrupt } = await environment(t);
  await env.delete(NODE_CLAIMS, 'claim-1');
  await interrupt('system_status');
  assert.deepEqual(env.deleted, []);
  assert.ok((await env.findNodeClaim('claim-1'))?.metadata.annotations?.[TERMINATION_TIMESTAMP]);
});

test('a NodeClaim that is gone is no error', async (t) => {
  const { env } = await environment(t);
  const nodeClaim = env.caches.nodeClaims.get('claim-1')!;
  await env.change(NODE_CLAIMS, 'claim-1', { metadata: { finalizers: null } });
  await env.delete(NODE_CLAIMS, 'claim-1');
  for (const kind of ['instance_stopped', 'instance_status'] as const) {
    await env.clock.runUntil(interruptNodeClaim({ nodeClaim, kind, logger: env.logger }, env, NEVER));
  }
  assert.deepEqual(env.deleted, []);
});
