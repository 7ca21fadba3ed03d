import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeOverlay } from '../kinds/core/node-overlay.ts';
import { AWS_PROFILE, CORE_PROFILE, type ProviderProfile } from '../names/provider-profile.ts';
import { validateNodeOverlay } from './node-overlay.ts';
import { findConditionMessage, type Problem } from './problem.ts';

test('an admitted NodeOverlay is what the check takes', () => {
  const accepts: (overlay: NodeOverlay, profile: ProviderProfile) => readonly Problem[] = validateNodeOverlay;
  assert.equal(accepts, validateNodeOverlay);
});

test('01/58 resources that instance types report themselves cannot be overlaid', () => {
  const overlay = (resource: string) => ({ spec: { requirements: [], capacity: { [resource]: '1' } } });
  assert.deepEqual(validateNodeOverlay(overlay('vpc.amazonaws.com/efa'), AWS_PROFILE), [
    {
      field: 'spec.capacity.vpc.amazonaws.com/efa',
      message: 'invalid capacity: vpc.amazonaws.com/efa in resource, restricted',
      severity: 'error',
    },
  ]);
  assert.deepEqual(validateNodeOverlay(overlay('vpc.amazonaws.com/efa'), CORE_PROFILE), []);
  for (const resource of ['cpu', 'memory', 'pods', 'ephemeral-storage']) {
    assert.equal(validateNodeOverlay(overlay(resource), CORE_PROFILE).length, 1, resource);
  }
  for (const resource of ['smarter-devices/fuse', 'nvidia.com/gpu', 'amd.com/gpu']) {
    assert.deepEqual(validateNodeOverlay(overlay(resource), AWS_PROFILE), []);
  }
});

test('NotIn needs values, and a NodePool may be named', () => {
  const requirements = [
    { key: 'karpenter.sh/nodepool', operator: 'In', values: ['a'] },
    { key: 'beta.kubernetes.io/os', operator: 'NotIn' },
  ];
  assert.equal(
    findConditionMessage(validateNodeOverlay({ spec: { requirements } }, AWS_PROFILE)),
    'key beta.kubernetes.io/os with operator NotIn must have a value defined',
  );
});
