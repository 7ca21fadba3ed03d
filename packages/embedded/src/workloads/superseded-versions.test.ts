import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SupersededVersions } from './superseded-versions.ts';

const version = (resourceVersion: string) => ({ metadata: { name: 'a', resourceVersion } });

test('what we wrote over is old until the cache shows something else', () => {
  const superseded = new SupersededVersions();
  superseded.mark('a', version('1'));
  superseded.mark('a', version('2'));
  assert.equal(superseded.includes('a', version('1')), true);
  assert.equal(superseded.includes('a', version('2')), true);
  assert.equal(superseded.includes('b', version('1')), false);
  assert.equal(superseded.includes('a', version('3')), false);
  assert.equal(superseded.includes('a', version('1')), false); // forgotten: versions never come back
});
