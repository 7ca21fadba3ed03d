import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESOURCES } from '../kinds/registry.ts';
import { admitStatus } from './admission.ts';
import type { JsonObject } from '@karpenter-ts/kubernetes';

const condition = {
  type: 'Ready',
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'Ready',
  message: '',
};

function verdict(kind: string, status: JsonObject): string {
  const resource = RESOURCES.aws.find((one) => one.kind === kind)!;
  const stored = { apiVersion: `${resource.group}/${resource.version}`, kind, metadata: { name: 'a' } };
  const admission = admitStatus({ ...stored, status }, resource, stored);
  return admission.verdict === 'admitted' ? 'admitted' : admission.message;
}

test('01/48 a condition may have an empty reason on a NodeClaim, not on a NodePool', () => {
  const conditions = [{ ...condition, reason: '' }];
  assert.equal(verdict('NodeClaim', { conditions }), 'admitted');
  assert.match(
    verdict('NodePool', { conditions }),
    /status\.conditions\[0\]\.reason: Invalid value: "": conditions\[0\]\.reason in body should be at least 1 chars long/,
  );
  assert.match(verdict('EC2NodeClass', { conditions }), /should be at least 1 chars long/);
});

test('conditions are keyed by type where the schema says so', () => {
  const conditions = [condition, { ...condition, status: 'False' }];
  assert.match(verdict('NodePool', { conditions }), /status\.conditions\[1\]: Duplicate value: \{"type":"Ready"\}/);
  assert.equal(verdict('EC2NodeClass', { conditions }), 'admitted');
});

test('a condition without message is for NodeClaims only', () => {
  const { message: _, ...rest } = condition;
  assert.equal(verdict('NodeClaim', { conditions: [rest] }), 'admitted');
  assert.match(verdict('NodePool', { conditions: [rest] }), /status\.conditions\[0\]\.message: Required value/);
});

test('the node count of a NodePool is not negative', () => {
  assert.match(
    verdict('NodePool', { nodes: -1 }),
    /\.status\.nodes: Invalid value: -1: should be a non-negative integer/,
  );
});
