import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControllerRunner, Metrics, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { sweepController } from './sweep.ts';
import { apiReader } from './reader.ts';
import { KwokEnvironment } from './testing/kwok-environment.ts';

/** Runs the sweep of the environment's present provider until the test ends. */
function runSweep(env: KwokEnvironment, signal: AbortSignal): void {
  const { client, clock, logger, provider } = env;
  const controller = sweepController({ client, clock, provider, reader: apiReader(client) });
  const metrics = new Metrics(clock);
  void new ControllerRunner(controller, { clock, logger, metrics, syncSource: async () => undefined }).start(signal);
}

test('a Node that was on its way when the process stopped appears after the next start', async (t) => {
  const env = await KwokEnvironment.start(t);
  await env.patchNodeClass({ spec: { nodeRegistrationDelay: '30s' } });
  const claim = await env.createNodeClaim('a');
  const launched = await env.provider.create(claim, NEVER);
  await env.persistLaunch(claim, launched);
  await env.restart();
  await env.clock.advance(60 * SECOND);
  assert.deepEqual(await env.listNodes(), []);
  runSweep(env, t.signal);
  await env.clock.advance(31 * SECOND);
  const [node] = await env.listNodes();
  assert.equal(node?.spec?.providerID, launched.status?.providerID);
});

test("what upstream launched is not launched again under another name, and one claim's failure holds up no other", async (t) => {
  const env = await KwokEnvironment.start(t);
  const theirs = await env.createNodeClaim('theirs');
  await env.persistLaunch(theirs, { ...theirs, status: { providerID: 'kwok://kwok-theirs-snowfox-1-abc-5' } });
  const broken = await env.createNodeClaim('broken', { requirements: [] });
  await env.persistLaunch(broken, { ...broken, status: { providerID: 'kwok://kwok-broken' } });
  const ours = await env.createNodeClaim('ours');
  await env.patchNodeClass({ spec: { nodeRegistrationDelay: '1s' } });
  const launched = await env.provider.create(ours, NEVER);
  await env.persistLaunch(ours, launched);
  await env.restart();
  runSweep(env, t.signal);
  await env.clock.advance(2 * SECOND);
  assert.deepEqual(
    (await env.listNodes()).map(({ spec }) => spec?.providerID),
    [launched.status?.providerID],
  );
  const errors = env.logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
  assert.deepEqual(errors, ['failed resuming node registration']);
});

test('a Node that never registered and whose NodeClaim is gone is deleted once it is five minutes old', async (t) => {
  const env = await KwokEnvironment.start(t);
  const claims = [await env.createNodeClaim('gone'), await env.createNodeClaim('kept')];
  for (const claim of claims) await env.persistLaunch(claim, await env.provider.create(claim, NEVER));
  await env.createNodeClaim('unsaved').then((claim) => env.provider.create(claim, NEVER));
  assert.equal((await env.listNodes()).length, 3);
  await env.client.delete(NODE_CLAIMS, { name: 'gone' });
  runSweep(env, t.signal);
  await env.clock.advance(3 * MINUTE);
  assert.equal((await env.listNodes()).length, 3);
  await env.clock.advance(4 * MINUTE);
  const left = (await env.listNodes()).map(({ metadata }) => metadata.labels?.['kubernetes.io/hostname'] ?? '');
  assert.deepEqual(left.sort(), ['kept', 'unsaved']);
});

test('a registered Node is not swept, whatever became of its NodeClaim', async (t) => {
  const env = await KwokEnvironment.start(t);
  const claim = await env.createNodeClaim('a');
  await env.provider.create(claim, NEVER);
  await env.register('a');
  await env.client.delete(NODE_CLAIMS, { name: 'a' });
  runSweep(env, t.signal);
  await env.clock.advance(10 * MINUTE);
  assert.equal((await env.listNodes()).length, 1);
});
