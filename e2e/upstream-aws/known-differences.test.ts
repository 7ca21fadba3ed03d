import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@karpenter-ts/kubernetes';
import { findReason } from './known-differences.ts';

const TYPES = 'NodeClaim[].spec.requirements.node.kubernetes.io/instance-type.values[]';

function isKnown(path: string, upstream: Json | undefined, ours: Json | undefined): boolean {
  return findReason({ guide: 'guide', path, upstream, ours }) !== undefined;
}

test('which of equally dear types are taken may differ, and nothing else about types', () => {
  assert.equal(isKnown(TYPES, ['m5.large', 'm5.xlarge'], ['m5.xlarge', 'm5.large']), true);
  assert.equal(isKnown(TYPES, ['m5.large'], ['m5.xlarge']), false);
  assert.equal(isKnown(TYPES, ['m5.large'], ['m5.large', 'm5.large']), false);
  assert.equal(isKnown(TYPES, ['m5.large'], []), false);
  assert.equal(isKnown(TYPES, ['of no price'], ['nor this']), false);
});

test('a condition or an annotation is known to be ours only where upstream has none', () => {
  const condition = 'NodeClaim[].status.conditions.ConsistentStateFound';
  assert.equal(isKnown(condition, undefined, { status: 'True' }), true);
  assert.equal(isKnown(condition, { status: 'False' }, { status: 'True' }), false);
  assert.equal(isKnown('NodeClaim[].status.conditions.Ready', undefined, { status: 'True' }), false);
  assert.equal(isKnown('Node[].annotations.karpenter-ts.dev/plan', undefined, 'upstream'), true);
  assert.equal(isKnown('Node[].annotations.karpenter-ts.dev/other', undefined, 'upstream'), false);
});

test('memory may be learnt where upstream computes it, which is a little more', () => {
  const memory = 'NodeClaim[].status.capacity.memory';
  assert.equal(isKnown(memory, '15155Mi', '16273899Ki'), true);
  assert.equal(isKnown(memory, '16273899Ki', '15155Mi'), false);
  assert.equal(isKnown(memory, '15155Mi', '14000Mi'), false);
  assert.equal(isKnown(memory, '15155Mi', '31000Mi'), false);
});

test('prices of spot may change between the two, those of on-demand do not', () => {
  const priority = 'ec2 CreateFleet[].LaunchTemplateConfigs[].Overrides[].Priority';
  assert.equal(isKnown(priority, 0.111837, 0.093179), true);
  assert.equal(isKnown(priority, 0.192, 0.093179), false); // what m5.xlarge costs
  assert.equal(isKnown(priority, undefined, 0.093179), false);
});
