import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControllerRunner, Metrics, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { sweepController } from './sweep.ts';
import { apiReader } from './reader.ts';
import { KwokFixture } from './testing/kwok-fixture.ts';

/** Runs the sweep of the world's present provider until the test ends. */
function runSweep(fixture: KwokFixture, signal: AbortSignal): void {
  const { client, clock, logger, provider } = fixture;
  const controller = sweepController({ client, clock, provider, reader: apiReader(client) });
  const metrics = new Metrics(clock);
  void new ControllerRunner(controller, { clock, logger, metrics, syncSource: async () => undefined }).start(signal);
}

test('a Node that was on its way when the process stopped appears after the next start', async (t) => {
  const fixture = await KwokFixture.start(t);
  await fixture.patchNodeClass({ spec: { nodeRegistrationDelay: '30s' } });
  const claim = await fixture.createNodeClaim('a');
  const launched = await fixture.provider.create(claim, NEVER);
  await fixture.persistLaunch(claim, launched);
  await fixture.restart();
  await fixture.clock.advance(60 * SECOND);
  assert.deepEqual(await fixture.listNodes(), []);
  runSweep(fixture, t.signal);
  await fixture.clock.advance(31 * SECOND);
  const [node] = await fixture.listNodes();
  assert.equal(node?.spec?.providerID, launched.status?.providerID);
});

test("what upstream launched is not launched again under another name, and one claim's failure holds up no other", async (t) => {
  const fixture = await KwokFixture.start(t);
  const theirs = await fixture.createNodeClaim('theirs');
  await fixture.persistLaunch(theirs, { ...theirs, status: { providerID: 'kwok://kwok-theirs-snowfox-1-abc-5' } });
  const broken = await fixture.createNodeClaim('broken', { requirements: [] });
  await fixture.persistLaunch(broken, { ...broken, status: { providerID: 'kwok://kwok-broken' } });
  const ours = await fixture.createNodeClaim('ours');
  await fixture.patchNodeClass({ spec: { nodeRegistrationDelay: '1s' } });
  const launched = await fixture.provider.create(ours, NEVER);
  await fixture.persistLaunch(ours, launched);
  await fixture.restart();
  runSweep(fixture, t.signal);
  await fixture.clock.advance(2 * SECOND);
  assert.deepEqual(
    (await fixture.listNodes()).map(({ spec }) => spec?.providerID),
    [launched.status?.providerID],
  );
  const errors = fixture.logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
  assert.deepEqual(errors, ['failed resuming node registration']);
});

test('a Node that never registered and whose NodeClaim is gone is deleted once it is five minutes old', async (t) => {
  const fixture = await KwokFixture.start(t);
  const claims = [await fixture.createNodeClaim('gone'), await fixture.createNodeClaim('kept')];
  for (const claim of claims) await fixture.persistLaunch(claim, await fixture.provider.create(claim, NEVER));
  await fixture.createNodeClaim('unsaved').then((claim) => fixture.provider.create(claim, NEVER));
  assert.equal((await fixture.listNodes()).length, 3);
  await fixture.client.delete(NODE_CLAIMS, { name: 'gone' });
  runSweep(fixture, t.signal);
  await fixture.clock.advance(3 * MINUTE);
  assert.equal((await fixture.listNodes()).length, 3);
  await fixture.clock.advance(4 * MINUTE);
  const left = (await fixture.listNodes()).map(({ metadata }) => metadata.labels?.['kubernetes.io/hostname'] ?? '');
  assert.deepEqual(left.sort(), ['kept', 'unsaved']);
});

test('a registered Node is not swept, whatever became of its NodeClaim', async (t) => {
  const fixture = await KwokFixture.start(t);
  const claim = await fixture.createNodeClaim('a');
  await fixture.provider.create(claim, NEVER);
  await fixture.register('a');
  await fixture.client.delete(NODE_CLAIMS, { name: 'a' });
  runSweep(fixture, t.signal);
  await fixture.clock.advance(10 * MINUTE);
  assert.equal((await fixture.listNodes()).length, 1);
});
