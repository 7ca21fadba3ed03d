import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeCloudProvider, type FakeSettings } from '@karpenter-ts/cloudprovider/testing';
import type { OperatorOptions } from '../options/operator-options.ts';
import { NodeClaimDeletions } from '../nodeclaim/deletions.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { createControllers, type SharedParts } from './controllers.ts';
import { NODE_CLASSES } from '../testing/objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';

const partsOf = (core: ControllerDeps): SharedParts => ({
  random: Math.random,
  deletions: new NodeClaimDeletions(core),
});

async function namesOf(t: TestContext, options: Partial<OperatorOptions>, settings: FakeSettings = {}) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider(settings), options });
  return createControllers(env, partsOf(env)).controllers.map(({ name }) => name);
}

test('a controller that calls the provider is timed under its own name', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const { controllers } = createControllers(env, partsOf(env));
  await env.reconcile(controllers.find(({ name }) => name === 'nodeclaim.garbagecollection')!, '');
  const labels = '{controller="nodeclaim.garbagecollection",method="List",provider="fake"}';
  assert.ok((await env.page()).includes(`karpenter_cloudprovider_duration_seconds_count${labels} 1\n`));
});

const GATES = {
  NodeRepair: true,
  ReservedCapacity: true,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
};

test('03/97 nothing is repaired with the gate off, or by a provider without policies', async (t) => {
  assert.ok(!(await namesOf(t, {})).includes('node.health'));
  assert.ok((await namesOf(t, { featureGates: GATES })).includes('node.health'));
  assert.ok(!(await namesOf(t, { featureGates: GATES }, { repairPolicies: [] })).includes('node.health'));
});

test('05/60 names are different, and what only shows the cluster goes with the option', async (t) => {
  const names = await namesOf(t, { featureGates: GATES });
  assert.equal(new Set(names).size, names.length);
  const shows = (name: string): boolean => /^(operatorpkg|metrics)\./.test(name);
  assert.deepEqual(names.filter(shows), [
    'metrics.pod',
    'metrics.node',
    'metrics.nodepool',
    'operatorpkg.nodeclaim.status',
    'operatorpkg.nodepool.status',
    'operatorpkg.node.status',
  ]);
  const quiet = await namesOf(t, { disableClusterStateObservability: true });
  assert.deepEqual(quiet.filter(shows), []);
  assert.ok(quiet.includes('state.pricing')); // decisions need the prices, too
});

test('05/60 the conditions of NodeClasses are shown all the same', async (t) => {
  const nodeClasses = [{ ...NODE_CLASSES, conditions: () => ({ dependents: ['SubnetsReady'] }) }];
  const names = await namesOf(t, { disableClusterStateObservability: true }, { nodeClasses });
  const kind = NODE_CLASSES.kind.toLowerCase();
  assert.deepEqual(
    names.filter((name) => name.startsWith('operatorpkg.')),
    [`operatorpkg.${kind}.status`],
  );
});
