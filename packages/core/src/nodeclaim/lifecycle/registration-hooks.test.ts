import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameTaint, TERMINATION_FINALIZER, UNREGISTERED_TAINT } from '@karpenter-ts/apis';
import type { HookResult, RegistrationHook } from '@karpenter-ts/cloudprovider';
import { DONE, RETRY, SECOND } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { makeNodeClaim } from '../../testing/objects.ts';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from '../testing/nodeclaim-environment.ts';
import { askHooks } from './registration-hooks.ts';

type Answer = { readonly wait: number | undefined } | 'ready' | Error;

/** A hook that gives these answers in turn, the last one for ever. */
function hook(name: string, ...answers: readonly Answer[]): RegistrationHook & { calls: number } {
  return {
    name,
    calls: 0,
    async prepare(nodeClaim): Promise<HookResult> {
      const answer = answers[Math.min(this.calls++, answers.length - 1)]!;
      if (answer instanceof Error) throw answer;
      return answer === 'ready' ? { ready: true, nodeClaim } : { ready: false, requeueAfter: answer.wait };
    },
  };
}

/** A NodeClaim whose Node has joined, before the hooks are asked. */
async function joined(env: NodeClaimEnvironment): Promise<void> {
  await env.addNodeClaim();
  await env.pass();
  await env.addNode();
}

const isClosed = async (env: NodeClaimEnvironment): Promise<boolean> =>
  (await env.node()).spec?.taints?.some((taint) => isSameTaint(taint, UNREGISTERED_TAINT)) ?? false;

test('03/19 hooks that are ready do not hold registration up, and neither do none', async (t) => {
  for (const registrationHooks of [[hook('a', 'ready')], []]) {
    const env = await startNodeClaimEnvironment(t, { registrationHooks });
    await joined(env);
    await env.pass();
    assert.equal((await env.condition('Registered'))?.status, 'True');
  }
});

test('03/20 a pending hook keeps the Node closed, but not without its finalizer and labels', async (t) => {
  const env = await startNodeClaimEnvironment(t, { registrationHooks: [hook('vpc', { wait: 5 * SECOND })] });
  await joined(env);
  assert.deepEqual(await env.pass(), { requeueAfter: 5 * SECOND });
  const registered = await env.condition('Registered');
  assert.deepEqual(
    [registered?.status, registered?.reason, registered?.message],
    ['Unknown', 'RegistrationHookPending', 'vpc'],
  );
  assert.ok(await isClosed(env));
  const { metadata } = await env.node();
  assert.deepEqual(metadata.finalizers, [TERMINATION_FINALIZER]);
  assert.equal(metadata.labels?.['karpenter.sh/nodepool'], 'default');
  assert.equal((await env.nodeClaim()).status?.nodeName, undefined);
  const line = env.logger.lines.find(({ message }) => message === 'awaiting registration hooks');
  assert.deepEqual(line?.fields['hooks'], ['vpc']);
});

test('03/21 all hooks are asked, and the shortest wait counts', async (t) => {
  const hooks = [hook('slow', { wait: 10 * SECOND }), hook('quick', { wait: 5 * SECOND })];
  const env = await startNodeClaimEnvironment(t, { registrationHooks: hooks });
  await joined(env);
  assert.deepEqual(await env.pass(), { requeueAfter: 5 * SECOND });
  assert.deepEqual(
    hooks.map(({ calls }) => calls),
    [1, 1],
  );
  assert.equal((await env.condition('Registered'))?.message, 'slow, quick');
});

test('03/22 a hook that fails is asked again', async (t) => {
  const env = await startNodeClaimEnvironment(t, { registrationHooks: [hook('vpc', new Error('no route'))] });
  await joined(env);
  await assert.rejects(env.pass(), (error: Error) => {
    assert.equal(error.message, 'registration hook "vpc" failed');
    assert.equal((error.cause as Error).message, 'no route');
    return true;
  });
  assert.equal((await env.condition('Registered'))?.status, 'Unknown');
});

test('03/23 labels a hook adds reach the NodeClaim and its Node', async (t) => {
  const adds: RegistrationHook = {
    name: 'adds',
    prepare: async (nodeClaim) => {
      const labels = { ...nodeClaim.metadata.labels, 'example.com/rack': '7' };
      return { ready: true, nodeClaim: { ...nodeClaim, metadata: { ...nodeClaim.metadata, labels } } };
    },
  };
  const env = await startNodeClaimEnvironment(t, { registrationHooks: [adds] });
  await joined(env);
  await env.pass();
  assert.equal((await env.nodeClaim()).metadata.labels?.['example.com/rack'], '7');
  assert.equal((await env.node()).metadata.labels?.['example.com/rack'], '7');
});

test('03/127 a hook that becomes ready opens the Node then', async (t) => {
  const env = await startNodeClaimEnvironment(t, { registrationHooks: [hook('vpc', { wait: 5 * SECOND }, 'ready')] });
  await joined(env);
  await env.pass();
  assert.ok(await isClosed(env));
  await env.pass();
  assert.equal(await isClosed(env), false);
  assert.equal((await env.condition('Registered'))?.status, 'True');
  assert.equal((await env.nodeClaim()).status?.nodeName, 'node-of-c1');
});

test('03/128 only hooks that are pending are named', async (t) => {
  const hooks = [hook('done', 'ready'), hook('late', { wait: 5 * SECOND }, 'ready')];
  const env = await startNodeClaimEnvironment(t, { registrationHooks: hooks });
  await joined(env);
  await env.pass();
  assert.equal((await env.condition('Registered'))?.message, 'late');
  await env.pass();
  assert.equal((await env.condition('Registered'))?.status, 'True');
});

test('03/129 a failing hook beside a pending one names both and ends in back-off', async (t) => {
  const hooks = [hook('bad', new Error('no')), hook('late', { wait: 5 * SECOND })];
  const env = await startNodeClaimEnvironment(t, { registrationHooks: hooks });
  await joined(env);
  await assert.rejects(env.pass(), /registration hook "bad" failed/);
  assert.equal((await env.condition('Registered'))?.message, 'bad, late');
});

test('hooks that name no time are asked again with back-off, others at the time they name', async () => {
  const nodeClaim = makeNodeClaim('c1');
  const ask = async (...hooks: RegistrationHook[]): Promise<unknown> =>
    (await askHooks(hooks, nodeClaim, NEVER)).result;
  assert.equal(await ask(hook('a', 'ready')), DONE);
  assert.equal(await ask(hook('a', { wait: undefined })), RETRY);
  assert.deepEqual(await ask(hook('a', { wait: undefined }), hook('b', { wait: 7 })), { requeueAfter: 7 });
});
