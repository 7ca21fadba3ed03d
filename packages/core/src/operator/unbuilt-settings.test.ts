import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultsOf } from '@karpenter-ts/runtime';
import { operatorOptions } from '../options/operator-options.ts';
import { listUnbuiltSettings, refuseUnbuiltSettings } from './unbuilt-settings.ts';

const DEFAULTS = defaultsOf(operatorOptions);

test('each setting that is on and does nothing is named once', () => {
  assert.deepEqual(listUnbuiltSettings(DEFAULTS), []);
  const featureGates = {
    NodeRepair: true,
    ReservedCapacity: true,
    SpotToSpotConsolidation: true,
    NodeOverlay: true,
    StaticCapacity: true,
    CapacityBuffer: true,
  };
  const set = { featureGates, extensions: new Set(['A1', 'D1', 'G7']), karpenterService: 'karpenter', nodeFee: 1 };
  assert.deepEqual(listUnbuiltSettings(set), [
    'ignoring feature gates that are not built: NodeOverlay, StaticCapacity, CapacityBuffer',
    'ignoring extensions that are not built: D1, G7',
    'ignoring --node-fee: A4 is not among --extensions',
    'ignoring --karpenter-service: it has no effect',
  ]);
});

test('what is built, or off, is not named', () => {
  const featureGates = { ...DEFAULTS.featureGates, NodeRepair: true, ReservedCapacity: false };
  assert.deepEqual(listUnbuiltSettings({ ...DEFAULTS, featureGates, extensions: new Set(['A1']) }), []);
});

test('only settings that would do harm are refused', () => {
  assert.deepEqual(refuseUnbuiltSettings(DEFAULTS), []);
  assert.equal(refuseUnbuiltSettings({ ignoreDraRequests: false }).length, 1);
});
