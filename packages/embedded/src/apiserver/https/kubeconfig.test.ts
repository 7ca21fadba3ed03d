import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { kubeconfig, writeKubeconfig } from './kubeconfig.ts';

const ACCESS = { url: 'https://127.0.0.1:1234', ca: 'PEM', token: 'secret' };

test('the file is its owner’s alone, also where another one was', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'config');
  await writeFile(path, 'old');
  await chmod(path, 0o644);
  await writeKubeconfig(path, ACCESS);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(await readFile(path, 'utf8'), kubeconfig(ACCESS));
  assert.deepEqual(await readdir(folder), ['config']);
});

test('what cannot be written leaves nothing behind', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  t.after(() => rm(folder, { recursive: true }));
  await assert.rejects(writeKubeconfig(folder, ACCESS), { syscall: 'rename' });
  assert.deepEqual(await readdir(folder), []);
});

test('its context has the address, the authority and the token', () => {
  const { clusters, users } = JSON.parse(kubeconfig(ACCESS)) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  assert.deepEqual(clusters[0]?.cluster, {
    server: 'https://127.0.0.1:1234',
    'certificate-authority-data': Buffer.from('PEM').toString('base64'),
  });
  assert.equal(users[0]?.user.token, 'secret');
});
