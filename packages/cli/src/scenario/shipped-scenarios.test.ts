// What each scenario that comes with us shows is what happens, up to its end.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR, MINUTE, SECOND } from '@karpenter-ts/runtime';
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

test('scale-out: all pods run within a quarter of a minute, and again after a service has doubled', async (t) => {
  const scenario = await started(t, 'scale-out', { pods: 100 });
  await scenario.pass(15 * SECOND);
  const before = await scenario.figures();
  assert.equal(before.pods.pending, 0);
  assert.ok(before.pods.running >= 100, String(before.pods.running));
  await scenario.pass(5 * MINUTE);
  const { pods, nodes } = await scenario.figures();
  assert.equal(pods.pending, 0);
  assert.equal(nodes.starting, 0);
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

test('budget-night: each pool loses its needless nodes in the night of its own time zone', async (t) => {
  // 03:00 in Berlin, 11:00 in Tokyo, 18:00 in Seattle.
  const scenario = await started(t, 'budget-night', { start: Date.UTC(2026, 0, 15, 2) });
  const counts = async () => {
    const pools = ['berlin', 'tokyo', 'seattle'];
    return Promise.all(pools.map(async (pool) => (await scenario.nodes(pool)).length));
  };
  await scenario.pass(55 * SECOND);
  const [berlin, tokyo, seattle] = await counts();
  await scenario.pass(20 * MINUTE);
  assert.deepEqual(await counts(), [1, tokyo, seattle]);
  assert.ok(berlin! > 1);
  await scenario.pass(4.5 * HOUR); // 07:51, 15:51, 22:51
  assert.deepEqual(await counts(), [1, tokyo, 1]);
  await scenario.pass(7 * HOUR); // 22:51 in Tokyo
  assert.deepEqual(await counts(), [1, 1, 1]);
  await assertSettled(scenario, 9);
});

test('pdb-deadlock: nodes without a deadline stay, the others are replaced and end with it', async (t) => {
  const scenario = await started(t, 'pdb-deadlock');
  const editions = async (pool: string) =>
    new Set((await scenario.nodes(pool)).map(({ metadata }) => metadata.labels?.['edition']));
  await scenario.pass(55 * SECOND);
  await assertSettled(scenario, 6);
  const patient = (await scenario.nodes('patient')).map(({ metadata }) => metadata.name);
  await scenario.pass(2 * MINUTE);
  assert.deepEqual(await editions('bounded'), new Set(['first', 'second'])); // the replacements are there already
  await scenario.pass(5 * MINUTE);
  assert.deepEqual(await editions('bounded'), new Set(['second']));
  assert.deepEqual(
    (await scenario.nodes('patient')).map(({ metadata }) => metadata.name),
    patient,
  );
  await assertSettled(scenario, 6);
  const blocked = await scenario.told('DisruptionBlocked');
  assert.deepEqual(blocked, ['Pdb prevents pod evictions (PodDisruptionBudget=[default/ledger])']);
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
  assert.ok(kept.length <= before.size - 12, `${kept.length} of ${before.size} are left`);
});

test('slow-drain: three nodes are drained two pods at a time, and all pods run in the end', async (t) => {
  const scenario = await started(t, 'slow-drain');
  await scenario.pass(25 * SECOND);
  await assertSettled(scenario, 60);
  await scenario.pass(15 * MINUTE);
  await assertSettled(scenario, 60);
});
