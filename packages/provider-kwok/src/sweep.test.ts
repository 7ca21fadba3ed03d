import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControllerRunner, Metrics, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { sweepController } from './sweep.ts';
import { apiReader } from './reader.ts';
import { KwokWorld } from './testing/kwok-world.ts';

/** Runs the sweep of the world's present provider until the test ends. */
function runSweep(world: KwokWorld, signal: AbortSignal): void {
  const { client, clock, logger, provider } = world;
  const controller = sweepController({ client, clock, provider, reader: apiReader(client) });
  const metrics = new Metrics(clock);
  void new ControllerRunner(controller, { clock, logger, metrics, syncSource: async () => undefined }).start(signal);
}

test('a Node that was on its way when the process stopped appears after the next start', async (t) => {
  const world = await KwokWorld.start(t);
  await world.patchNodeClass({ spec: { nodeRegistrationDelay: '30s' } });
  const claim = await world.createNodeClaim('a');
  const launched = await world.provider.create(claim, NEVER);
  await world.persistLaunch(claim, launched);
  await world.restart();
  await world.clock.advance(60 * SECOND);
  assert.deepEqual(await world.listNodes(), []);
  runSweep(world, t.signal);
  await world.clock.advance(31 * SECOND);
  const [node] = await world.listNodes();
  assert.equal(node?.spec?.providerID, launched.status?.providerID);
});

test("what upstream launched is not launched again under another name, and one claim's failure holds up no other", async (t) => {
  const world = await KwokWorld.start(t);
  const theirs = await world.createNodeClaim('theirs');
  await world.persistLaunch(theirs, { ...theirs, status: { providerID: 'kwok://kwok-theirs-snowfox-1-abc-5' } });
  const broken = await world.createNodeClaim('broken', { requirements: [] });
  await world.persistLaunch(broken, { ...broken, status: { providerID: 'kwok://kwok-broken' } });
  const ours = await world.createNodeClaim('ours');
  await world.patchNodeClass({ spec: { nodeRegistrationDelay: '1s' } });
  const launched = await world.provider.create(ours, NEVER);
  await world.persistLaunch(ours, launched);
  await world.restart();
  runSweep(world, t.signal);
  await world.clock.advance(2 * SECOND);
  assert.deepEqual(
    (await world.listNodes()).map(({ spec }) => spec?.providerID),
    [launched.status?.providerID],
  );
  const errors = world.logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
  assert.deepEqual(errors, ['failed resuming node registration']);
});

test('a Node that never registered and whose NodeClaim is gone is deleted once it is five minutes old', async (t) => {
  const world = await KwokWorld.start(t);
  const claims = [await world.createNodeClaim('gone'), await world.createNodeClaim('kept')];
  for (const claim of claims) await world.persistLaunch(claim, await world.provider.create(claim, NEVER));
  await world.createNodeClaim('unsaved').then((claim) => world.provider.create(claim, NEVER));
  assert.equal((await world.listNodes()).length, 3);
  await world.client.delete(NODE_CLAIMS, { name: 'gone' });
  runSweep(world, t.signal);
  await world.clock.advance(3 * MINUTE);
  assert.equal((await world.listNodes()).length, 3);
  await world.clock.advance(4 * MINUTE);
  const left = (await world.listNodes()).map(({ metadata }) => metadata.labels?.['kubernetes.io/hostname'] ?? '');
  assert.deepEqual(left.sort(), ['kept', 'unsaved']);
});

test('a registered Node is not swept, whatever became of its NodeClaim', async (t) => {
  const world = await KwokWorld.start(t);
  const claim = await world.createNodeClaim('a');
  await world.provider.create(claim, NEVER);
  await world.register('a');
  await world.client.delete(NODE_CLAIMS, { name: 'a' });
  runSweep(world, t.signal);
  await world.clock.advance(10 * MINUTE);
  assert.equal((await world.listNodes()).length, 1);
});
