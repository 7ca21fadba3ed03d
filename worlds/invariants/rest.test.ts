import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISRUPTED_TAINT, type NodeClaim } from '@karpenter-ts/apis';
import type { Node } from '@karpenter-ts/kubernetes';
import { MINUTE } from '@karpenter-ts/runtime';
import { canRest, findUnrest } from './rest.ts';

const NOW = 100 * MINUTE;
const QUIET = { nodes: [], claims: [], now: NOW, lastCommand: undefined };

function node(rest: object = {}): Node {
  return { metadata: { name: 'a', ...rest }, spec: { taints: [DISRUPTED_TAINT] } };
}

function claim(expireAfter: string, rest: object = {}): NodeClaim {
  const conditions = [{ type: 'DisruptionReason', status: 'True' }];
  return { metadata: { name: 'a', ...rest }, spec: { expireAfter }, status: { conditions } } as unknown as NodeClaim;
}

function details(cluster: Parameters<typeof findUnrest>[0]): readonly string[] {
  return findUnrest(cluster).map(({ detail }) => detail);
}

test('a cluster is at rest six minutes after the last command', () => {
  assert.deepEqual(details(QUIET), []);
  assert.deepEqual(details({ ...QUIET, lastCommand: NOW - 6 * MINUTE }), []);
  const busy = { ...QUIET, lastCommand: NOW - 5 * MINUTE };
  assert.deepEqual(details(busy), ['nodes are still disrupted, last 5 minutes ago']);
});

test('what a command has marked is neither forgotten nor kept', () => {
  assert.deepEqual(details({ ...QUIET, nodes: [node()] }), ['a is still tainted']);
  assert.deepEqual(details({ ...QUIET, claims: [claim('Never')] }), ['a is still marked']);
  const deleted = { deletionTimestamp: 'now' };
  assert.deepEqual(details({ ...QUIET, nodes: [node(deleted)], claims: [claim('Never', deleted)] }), []);
});

test('a cluster whose nodes expire every few minutes is never at rest', () => {
  assert.equal(canRest({ nodes: [], claims: [claim('Never'), claim('720h')] }), true);
  assert.equal(canRest({ nodes: [], claims: [claim('Never'), claim('30m')] }), false);
});
