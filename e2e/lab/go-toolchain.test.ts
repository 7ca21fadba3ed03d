import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { getGoToolchain, goEnvironment, isRecentEnough } from './go-toolchain.ts';

test('Go 1.26 and later builds the lab, whatever follows the number', () => {
  for (const version of [
    'go1.26',
    'go1.26.8',
    'go1.26rc1',
    'go1.27.0 X:nocoverageredesign',
    'go2.0',
    'devel go1.27-0ab',
  ]) {
    assert.equal(isRecentEnough(version), true, version);
  }
  for (const version of ['go1.25.9', 'go1.4', 'go1.2', '', 'gccgo'])
    assert.equal(isRecentEnough(version), false, version);
});

test('a host without Go is told what to install', async () => {
  await assert.rejects(getGoToolchain(tmpdir(), { PATH: '/nonexistent' }), {
    name: 'LabError',
    message:
      'the lab is built with Go, and there is none here: ' +
      'install Go 1.26 or newer from https://go.dev/dl and put it on the PATH',
  });
});

test('a Go that is too old is named, whether it answers or refuses the go.mod', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lab-go-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const fakeGo = (script: string) => {
    writeFileSync(join(folder, 'go'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'go'), 0o755);
    return getGoToolchain(folder, { PATH: folder });
  };
  const fix = 'install Go 1.26 or newer from https://go.dev/dl and put it on the PATH';
  await assert.rejects(fakeGo(`echo '{"GOVERSION":"go1.22.1","GOOS":"linux","GOARCH":"arm64"}'`), {
    message: `go1.22.1 is too old to build the lab: ${fix}`,
  });
  const refusal = 'go: go.mod requires go >= 1.26.0 (running go 1.22.1; GOTOOLCHAIN=local)';
  await assert.rejects(fakeGo(`echo '${refusal}' >&2; exit 1`), {
    message: `Go cannot build the lab (${refusal}): ${fix}`,
  });
  assert.deepEqual(await fakeGo(`echo '{"GOVERSION":"go1.26.8","GOOS":"linux","GOARCH":"arm64"}'`), {
    version: 'go1.26.8',
    platform: 'linux/arm64',
  });
});

test('a build is for this host, whatever the user builds for', () => {
  const env = goEnvironment({ GOOS: 'plan9', GOARCH: 'mips', GOFLAGS: '-mod=mod', GOPROXY: 'https://proxy.example' });
  assert.deepEqual(env, {
    GOPROXY: 'https://proxy.example',
    CGO_ENABLED: '0',
    GOWORK: 'off',
    GOFLAGS: '-buildvcs=false',
  });
});
