// What each scenario that comes with us shows is what happens, up to its end.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { type PlayedScenario, startScenario } from './testing-scenario.ts';

async function started(t: TestContext, ...args: Parameters<typeof startScenario>): Promise<PlayedScenario> {
  const scenario = await startScenario(...args);
  t.after(() => scenario.stop());
  return scenario;
}

/** All pods run, and no node is on its way or going. */
async function assertSettled(scenario: PlayedScenario, running: number): Promise<void> {
  const { pods, nodes } = await scenario.figures();
  assert.deepEqual(pods, { running, pending: 0, terminating: 0 });
  assert.deepEqual({ ...nodes, ready: 0 }, { ready: 0, starting: 0, silent: 0, terminating: 0 });
}

test('scale-out: all pods run within a quarter of a minute, a service doubles, then demand and price fall', async (t) => {
  const scenario = await started(t, 'scale-out', { pods: 100 });
  await scenario.pass(15 * SECOND);
  const before = await scenario.figures();
  assert.equal(before.pods.pending, 0);
  assert.ok(before.pods.running >= 100, String(before.pods.running));
  await scenario.pass(40 * SECOND);
  const peak = await scenario.figures();
  assert.ok(peak.pods.running > before.pods.running);
  await scenario.pass(5 * MINUTE);
  const { pods, nodes, pricePerHour } = await scenario.figures();
  assert.equal(pods.pending, 0);
  assert.equal(nodes.starting, 0);
  assert.ok(nodes.ready < peak.nodes.ready, `${peak.nodes.ready} → ${nodes.ready} nodes`);
  assert.ok(pricePerHour < 0.7 * peak.pricePerHour, `${peak.pricePerHour} → ${pricePerHour}`);
});

test('scale-in: the demand falls to a third, and so does the price', async (t) => {
  const scenario = await started(t, 'scale-in');
  await scenario.pass(55 * SECOND);
  await assertSettled(scenario, 110);
  const before = await scenario.figures();
  await scenario.pass(15 * MINUTE);
  await assertSettled(scenario, 35);
  const after = await scenario.figures();
  assert.ok(after.pricePerHour < before.pricePerHour * 0.4, `${before.pricePerHour} → ${after.pricePerHour}`);
  assert.ok(scenario.commands.some((command) => command.startsWith('Underutilized: ')));
});

test('drift-roll: all nodes are of the second edition, and two were replaced at a time', async (t) => {
  const scenario = await started(t, 'drift-roll');
  await scenario.pass(55 * SECOND);
  await assertSettled(scenario, 36);
  const first = await scenario.nodes();
  assert.ok(first.length >= 6, String(first.length));
  assert.ok(first.every(({ metadata }) => metadata.labels?.['edition'] === 'first'));
  await scenario.pass(15 * MINUTE);
  await assertSettled(scenario, 36);
  const second = await scenario.nodes();
  assert.ok(second.every(({ metadata }) => metadata.labels?.['edition'] === 'second'));
  assert.equal(scenario.mostDisrupted, 2);
  assert.ok(scenario.commands.every((command) => /^Drifted: (replace|delete): /.test(command)));
});

for (const [time, nights] of [
  ['02:00', ['berlin']], // 03:00 in Berlin, 11:00 in Tokyo, 18:00 in Seattle
  ['13:30', ['tokyo', 'seattle']], // 14:30, 22:30, 05:30
] as const) {
  test(`budget-night: at ${time} UTC needless nodes go in ${nights.join(' and ')} only`, async (t) => {
    const scenario = await started(t, 'budget-night', { start: Date.parse(`2026-01-15T${time}Z`) });
    const counts = async () => {
      const pools = ['berlin', 'tokyo', 'seattle'];
      return Promise.all(pools.map(async (pool) => [pool, (await scenario.nodes(pool)).length] as const));
    };
    await scenario.pass(55 * SECOND);
    const before = await counts();
    assert.ok(before.every(([, count]) => count > 1));
    await scenario.pass(12 * MINUTE);
    const isNight = (pool: string) => (nights as readonly string[]).includes(pool);
    assert.deepEqual(
      await counts(),
      before.map(([pool, count]) => [pool, isNight(pool) ? 1 : count]),
    );
    await assertSettled(scenario, 9);
  });
}

test('pdb-deadlock: nodes without a deadline stay, the others go with it', async (t) => {
  const scenario = await started(t, 'pdb-deadlock');
  const namesIn = async (pool: string) => (await scenario.nodes(pool)).map(({ metadata }) => metadata.name);
  await scenario.pass(55 * SECOND);
  await assertSettled(scenario, 6);
  const [patient, bounded] = [await namesIn('patient'), await namesIn('bounded')];
  await scenario.pass(1 * MINUTE);
  assert.deepEqual(await namesIn('bounded'), bounded); // they are being deleted, and their pods still run
  const { pods, nodes } = await scenario.figures();
  assert.deepEqual([pods.running, nodes.terminating], [6, bounded.length]);
  await scenario.pass(6 * MINUTE);
  assert.deepEqual(await namesIn('patient'), patient);
  assert.ok((await scenario.nodes('bounded')).every(({ metadata }) => metadata.labels?.['edition'] === 'second'));
  await assertSettled(scenario, 6);
  const blocked = await scenario.messages('DisruptionBlocked');
  assert.ok(blocked.includes('Pdb prevents pod evictions (PodDisruptionBudget=[default/ledger])'), blocked.join('\n'));
});

test('spot-storm: a dozen spot nodes fall silent, and their pods run elsewhere', async (t) => {
  const scenario = await started(t, 'spot-storm');
  await scenario.pass(55 * SECOND);
  await assertSettled(scenario, 200);
  const before = new Set((await scenario.nodes('spot')).map(({ metadata }) => metadata.name));
  await scenario.pass(4 * MINUTE); // two waves of silence; then the cloud says that the nodes are gone
  assert.equal((await scenario.figures()).nodes.silent, 12);
  await scenario.pass(10 * MINUTE);
  await assertSettled(scenario, 200);
  const kept = (await scenario.nodes('spot')).filter(({ metadata }) => before.has(metadata.name));
  assert.ok(
    kept.length <= before.size - 4, // the second wave may hit new ones
    `${kept.length} of ${before.size} are left`,
  );
});

test('slow-drain: three nodes are drained two pods at a time, and all pods run in the end', async (t) => {
  const scenario = await started(t, 'slow-drain');
  await scenario.pass(25 * SECOND);
  await assertSettled(scenario, 60);
  await scenario.pass(15 * MINUTE);
  await assertSettled(scenario, 60);
});
