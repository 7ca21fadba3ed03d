import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { EC2NodeClass, NodePool } from '@karpenter-ts/apis';
import { SECOND } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { NO_ZONAL_SHIFTS } from '../zonal-shift/zonal-shifts.ts';
import { zonalShiftController } from './zonal-shift.ts';

const SUBNETS = [
  { id: 'subnet-1', zone: 'us-west-2a', zoneID: 'usw2-az1' },
  { id: 'subnet-2', zone: 'us-west-2b', zoneID: 'usw2-az2' },
];

async function environment(t: TestContext) {
  const env = await ProviderEnvironment.start(t);
  await env.addNodeClass('default', { status: { subnets: SUBNETS } });
  const shifts = { zones: [] as readonly string[], failure: undefined as Error | undefined };
  const zonalShifts = {
    refresh: async () => {
      if (shifts.failure !== undefined) throw shifts.failure;
    },
    shiftedZones: () => new Set(shifts.zones),
  };
  const nodeClasses = env.caches.nodeClasses.of<EC2NodeClass>(EC2_NODE_CLASSES);
  const controller = zonalShiftController({ ...env, zonalShifts, nodeClasses });
  const shift = async (...zones: readonly string[]) => {
    shifts.zones = zones;
    const result = await env.reconcile(controller, '');
    await env.clock.advance(5 * 60 * SECOND); // events that are repeated within two minutes are dropped
    return result;
  };
  return { env, shifts, shift };
}

const inZones = (...values: readonly string[]): NodePool['spec']['template']['spec']['requirements'] => [
  { key: 'topology.kubernetes.io/zone', operator: 'In', values: [...values] },
];

test('05/68, 08/122 a shift is told once to each NodePool that has Nodes in the zone, and so is its end', async (t) => {
  const { env, shift } = await environment(t);
  await env.addNodePool('anywhere');
  await env.addNodePool('here', { requirements: inZones('us-west-2a') });
  await env.addNodePool('elsewhere', { requirements: inZones('us-west-2b') });
  const other = { key: 'topology.k8s.aws/zone-id', operator: 'NotIn' as const, values: ['usw2-az1'] };
  await env.addNodePool('elsewhere-by-id', { requirements: [other] });
  assert.deepEqual(await shift('usw2-az1'), { requeueAfter: 30 * SECOND });
  await shift('usw2-az1');
  const began = 'Zonal shift detected: offerings in zone us-west-2a (usw2-az1) are unavailable for this NodePool';
  const told = ['NodePool/anywhere', 'NodePool/here'];
  assert.deepEqual(
    env.eventTexts().toSorted(),
    told.map((who) => `${who} ZonalShiftActive: ${began}`),
  );
  await shift();
  await shift();
  const ended = 'Zonal shift cleared: offerings in zone us-west-2a (usw2-az1) are restored for this NodePool';
  assert.deepEqual(
    env.eventTexts().slice(2).toSorted(),
    told.map((who) => `${who} ZonalShiftCleared: ${ended}`),
  );
  assert.deepEqual(
    env.published.map(({ type }) => type),
    ['Warning', 'Warning', 'Normal', 'Normal'],
  );
});

test('05/68, 08/122 a zone where the NodeClass has no subnet concerns nobody', async (t) => {
  const { env, shift } = await environment(t);
  await env.addNodePool('anywhere');
  await shift('usw2-az3');
  assert.deepEqual(env.eventTexts(), []);
});

test('when the shift moves to another zone, both are told', async (t) => {
  const { env, shift } = await environment(t);
  await env.addNodePool('anywhere');
  await shift('usw2-az1');
  await shift('usw2-az2');
  assert.deepEqual(
    env.published.map(({ reason, message }) => [reason, message.includes('us-west-2a')]),
    [
      ['ZonalShiftActive', true],
      ['ZonalShiftActive', false],
      ['ZonalShiftCleared', true],
    ],
  );
});

test('a NodePool whose NodeClass is missing does not keep the others from being told', async (t) => {
  const { env, shift } = await environment(t);
  const { group, kind } = EC2_NODE_CLASSES;
  await env.addNodePool('broken', { nodeClassRef: { group, kind, name: 'missing' } });
  await env.addNodePool('working');
  await shift('usw2-az1');
  assert.deepEqual(
    env.published.map(({ involvedObject }) => involvedObject.name),
    ['working'],
  );
});

test('while ARC does not answer, nothing is told; the change is told when it does', async (t) => {
  const { env, shifts, shift } = await environment(t);
  await env.addNodePool('anywhere');
  shifts.failure = new Error('getting zonal shifts: out of order');
  await assert.rejects(shift('usw2-az1'), { message: 'updating zonal shifts: getting zonal shifts: out of order' });
  assert.deepEqual(env.eventTexts(), []);
  shifts.failure = undefined;
  await shift('usw2-az1');
  assert.equal(env.eventTexts().length, 1);
});

test('where zonal shift is not enabled, nothing happens', async (t) => {
  const { env } = await environment(t);
  await env.addNodePool('anywhere');
  const nodeClasses = env.caches.nodeClasses.of<EC2NodeClass>(EC2_NODE_CLASSES);
  const controller = zonalShiftController({ ...env, zonalShifts: NO_ZONAL_SHIFTS, nodeClasses });
  assert.deepEqual(await env.reconcile(controller, ''), { requeueAfter: 30 * SECOND });
  assert.deepEqual(env.eventTexts(), []);
});
