import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NODE_CLAIMS, type NodeClaim, SPLIT } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { type DisruptionEnvironment, startDisruptionEnvironment } from '../testing/disruption-environment.ts';

/** A large node with two pods that cannot share a node, old enough to be split. */
async function start(t: TestContext, most: string): Promise<DisruptionEnvironment> {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('default', { annotations: { 'karpenter-ts.dev/consolidation-max-replacements': most } });
  await env.addNode('large', { type: 'fake-it-19' });
  for (const name of ['p', 'q']) {
    const ports = [{ containerPort: 80, hostPort: 80 }];
    const containers = [{ name: 'main', image: 'main:1', ports, resources: { requests: { cpu: '1' } } }];
    await env.addPod(name, 'large', { containers });
  }
  await env.clock.advance(10 * MINUTE);
  return env;
}

const others = async (env: DisruptionEnvironment) => (await env.kept()).filter((name) => name !== 'large');

test('09/7 a node is replaced by two, and goes when both are ready', async (t) => {
  const env = await start(t, '2');
  await env.pass();
  const names = await others(env);
  assert.equal(names.length, 2);
  for (const name of names) {
    assert.equal((await env.get<NodeClaim>(NODE_CLAIMS, name)).metadata.annotations?.[SPLIT], '2');
  }
  await env.initialize(names[0]);
  await env.clock.advance(5 * SECOND);
  assert.ok((await env.kept()).includes('large'));
  await env.initialize(names[1]);
  await env.clock.advance(5 * SECOND);
  assert.deepEqual(await env.kept(), names);
});

test('09/7 without the annotation the node stays, and its event says how many nodes it would take', async (t) => {
  const env = await start(t, '1');
  await env.pass();
  assert.deepEqual(await env.kept(), ['large']);
  assert.ok(env.eventsOn('large').includes("Unconsolidatable: Can't remove without creating 2 candidates"));
});

test('09/9 if one of two replacements fails, the candidate stays and the other goes after a minute without pods', async (t) => {
  const env = await start(t, '2');
  await env.pass();
  const [one, other] = await others(env);
  await env.initialize(other);
  await env.delete(NODE_CLAIMS, one!);
  await env.clock.advance(5 * SECOND);
  assert.deepEqual(await env.taintsOf('large'), []);
  assert.equal(await env.reasonOf('large'), undefined);
  assert.deepEqual(new Set(await env.kept()), new Set(['large', other]));
  await env.clock.advance(50 * SECOND);
  assert.ok((await env.kept()).includes(other!));
  await env.clock.advance(10 * SECOND);
  assert.deepEqual(await env.kept(), ['large']);
});

test('09/9 a replacement that has got a pod stays', async (t) => {
  const env = await start(t, '2');
  await env.pass();
  const [one, other] = await others(env);
  await env.initialize(other);
  await env.addPod('new', other!);
  await env.delete(NODE_CLAIMS, one!);
  await env.clock.advance(70 * SECOND);
  assert.deepEqual(new Set(await env.kept()), new Set(['large', other]));
});
