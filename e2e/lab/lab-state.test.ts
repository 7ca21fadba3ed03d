import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheFolder } from './cache.ts';
import { labFolder } from './lab-state.ts';

test('a lab is named by a plain label, so that its folder cannot be elsewhere', () => {
  for (const name of ['default', 'e2e-123', 'a', '0']) assert.ok(labFolder(name).endsWith(`/run/${name}`));
  for (const name of ['', '..', 'a/b', '-a', 'a-', 'A', 'x'.repeat(64)]) {
    assert.throws(() => labFolder(name), { name: 'LabError' }, name);
  }
});

test('the cache is where the user says, else where caches belong', () => {
  assert.equal(cacheFolder({ KARPENTER_LAB_CACHE: '/a', XDG_CACHE_HOME: '/b' }), '/a');
  assert.equal(cacheFolder({ XDG_CACHE_HOME: '/b' }), '/b/karpenter-ts/lab');
  assert.match(cacheFolder({}), /\/\.cache\/karpenter-ts\/lab$/);
});
