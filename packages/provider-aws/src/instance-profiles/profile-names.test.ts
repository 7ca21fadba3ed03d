import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isIamName, legacyProfileName, newProfileName, profileTags, roleNameOf } from './profile-names.ts';
import { classOf } from './testing/profile-environment.ts';

const OWNER = { clusterName: 'demo', region: 'us-west-2' };

test('the legacy name of an instance profile is upstream’s', () => {
  assert.equal(legacyProfileName(OWNER, classOf({})), 'demo_4067990795380418201');
});

test('new names differ each time, and IAM takes them', () => {
  const names = ['1', '2'].map((unique) => newProfileName(OWNER, classOf({}), unique));
  assert.notEqual(names[0], names[1]);
  for (const name of names) assert.match(name, /^demo_\d+$/);
  assert.ok(names.every(isIamName));
});

test('names that IAM refuses to look up are known', () => {
  assert.deepEqual(['', 'a'.repeat(129), 'a:b', 'a b', 'ä'].map(isIamName), [false, false, false, false, false]);
  assert.deepEqual(['a', 'a'.repeat(128), 'a=b,c.d@e-f+g_h'].map(isIamName), [true, true, true]);
});

test('the tags of the user do not replace Karpenter’s', () => {
  const tags = { team: 'a', 'topology.kubernetes.io/region': 'moon', 'eks:eks-cluster-name': 'other' };
  assert.deepEqual(profileTags(OWNER, classOf({ tags })), {
    team: 'a',
    'topology.kubernetes.io/region': 'us-west-2',
    'eks:eks-cluster-name': 'demo',
    'kubernetes.io/cluster/demo': 'owned',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
  });
});

test('the name of a role is the last part of what the user wrote', () => {
  assert.deepEqual(['r', 'p/q/r', '/p/r'].map(roleNameOf), ['r', 'r', 'r']);
});
