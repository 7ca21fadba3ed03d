import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { RESOURCES } from '../kinds/registry.ts';
import { admit } from '../schema/admission.ts';
import { MINIMAL_NODE_POOL, variant } from '../testing/index.ts';

/** Whether a NodePool with this budget is admitted. */
function isAdmitted(budget: JsonObject): boolean {
  const resource = [...RESOURCES.aws, ...RESOURCES.kwok].find(({ kind }) => kind === 'NodePool')!;
  return admit(variant(MINIMAL_NODE_POOL, { 'spec.disruption.budgets': [budget] }), resource).verdict === 'admitted';
}

test('04/47 budgets that could not be read are refused on admission', () => {
  for (const refused of [
    { nodes: '1', schedule: '@daily' },
    { nodes: '1', duration: '1h' },
    { nodes: '1', schedule: '@daily', duration: '-1h' },
    { nodes: '1', schedule: '@daily', duration: '30s' },
    { nodes: '-10' },
    { nodes: '1000%' },
    { nodes: '1', reasons: ['expired'] },
    { nodes: '1', reasons: [''] },
  ]) {
    assert.equal(isAdmitted(refused), false, JSON.stringify(refused));
  }
  for (const admitted of [
    { nodes: '1', schedule: '@annually', duration: '2h20m' },
    { nodes: '100%', schedule: '0 9 * * mon-fri', duration: '8h' },
    { nodes: '10' },
    { nodes: '10', reasons: ['Empty', 'Drifted', 'Underutilized'] },
  ]) {
    assert.equal(isAdmitted(admitted), true, JSON.stringify(admitted));
  }
});
