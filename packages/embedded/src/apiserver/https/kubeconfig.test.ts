import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createKubeconfig, kubeconfig } from './kubeconfig.ts';

const ACCESS = { url: 'https://127.0.0.1:1234', ca: 'PEM', token: 'secret' };

async function scratch(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('the file is its owner’s alone, and is removed by the one who created it', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'config');
  const file = createKubeconfig(path, ACCESS);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(await readFile(path, 'utf8'), kubeconfig(ACCESS));
  file.remove();
  file.remove();
  assert.deepEqual(await readdir(folder), []);
});

test('nothing that is there is replaced: neither a file, nor a folder, nor a link that leads nowhere', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'file'), 'mine');
  await mkdir(join(folder, 'folder'));
  await symlink(join(folder, 'nowhere'), join(folder, 'link'));
  for (const name of ['file', 'folder', 'link']) {
    assert.throws(() => createKubeconfig(join(folder, name), ACCESS), { code: 'EEXIST' }, name);
  }
  assert.deepEqual((await readdir(folder)).sort(), ['file', 'folder', 'link']);
  assert.equal(await readFile(join(folder, 'file'), 'utf8'), 'mine');
});

test('a file that has taken the place of ours is not removed', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'config');
  const file = createKubeconfig(path, ACCESS);
  await rm(path);
  await writeFile(path, 'mine');
  file.remove();
  assert.equal(await readFile(path, 'utf8'), 'mine');
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
