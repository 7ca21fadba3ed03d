import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { completeLockfile } from './complete-lockfile.ts';

test('optional packages of other platforms are named with their platform', () => {
  const { packages } = completeLockfile({
    packages: {
      'node_modules/a': {
        version: '1.0.0',
        dev: true,
        optionalDependencies: { '@a/darwin-arm64': '1.0.0', '@a/linux-x64-musl': '1.0.0', '@a/linux-x64': '1.0.0' },
      },
      'node_modules/@a/linux-x64': { version: '1.0.0', optional: true },
    },
  });
  assert.deepEqual(packages['node_modules/@a/darwin-arm64'], {
    version: '1.0.0',
    dev: true,
    optional: true,
    os: ['darwin'],
    cpu: ['arm64'],
  });
  assert.deepEqual(packages['node_modules/@a/linux-x64-musl']!.libc, ['musl']);
  assert.deepEqual(packages['node_modules/@a/linux-x64'], { version: '1.0.0', optional: true });
});

test('the committed lockfile is complete and names no registry', () => {
  const text = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8');
  const lockfile = JSON.parse(text) as Parameters<typeof completeLockfile>[0];
  assert.deepEqual(Object.keys(completeLockfile(lockfile).packages), Object.keys(lockfile.packages));
  assert.doesNotMatch(text, /"resolved": "http/);
});
