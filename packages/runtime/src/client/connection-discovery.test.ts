import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findConnection } from './connection-discovery.ts';
import { findInClusterNamespace } from './in-cluster.ts';

const config = (server: string): string => `
current-context: c
contexts: [{ name: c, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "${server}" } }]
users: [{ name: u, user: { token: t } }]`;

const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

/** A home with a kubeconfig, a pod's service account and a file to name in KUBECONFIG. */
async function environment(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'discovery-'));
  t.after(() => rm(folder, { recursive: true }));
  const serviceAccount = join(folder, 'serviceaccount');
  await mkdir(join(folder, '.kube'));
  await mkdir(serviceAccount);
  await writeFile(join(folder, '.kube', 'config'), config('https://home'));
  await writeFile(join(folder, 'named'), config('https://named'));
  await writeFile(join(serviceAccount, 'token'), 'token');
  await writeFile(join(serviceAccount, 'namespace'), 'karpenter\n');
  return { home: folder, serviceAccount, named: join(folder, 'named') };
}

test('KUBECONFIG comes first, then the service account, then the home directory', async (t) => {
  const { home, serviceAccount, named } = await environment(t);
  const find = async (env: NodeJS.ProcessEnv) => (await findConnection({ env, home, serviceAccount })).server;
  assert.equal(await find({ ...IN_CLUSTER, KUBECONFIG: named }), 'https://named');
  assert.equal(await find(IN_CLUSTER), 'https://10.0.0.1:443');
  assert.equal(await find({}), 'https://home');
  assert.equal(await find({ KUBECONFIG: '' }), 'https://home');
});

test('a pod finds its token, CA and namespace where Kubernetes mounts them', async (t) => {
  const { home, serviceAccount } = await environment(t);
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
  const connection = await findConnection({ env, home, serviceAccount });
  assert.equal(connection.server, 'https://[fd00::1]:6443');
  assert.deepEqual(connection.identity, { kind: 'tokenFile', file: join(serviceAccount, 'token') });
  assert.deepEqual(connection.ca, { file: join(serviceAccount, 'ca.crt') });
  assert.equal(await findInClusterNamespace(serviceAccount), 'karpenter');
  assert.equal(await findInClusterNamespace('/nowhere'), undefined);
});

test('variables of a pod that make no address are named', async (t) => {
  const { serviceAccount } = await environment(t);
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: 'tcp' };
  await assert.rejects(findConnection({ env, home: '/nowhere', serviceAccount }), {
    name: 'ConnectionConfigError',
    message: /KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT make no address: https:\/\/10\.0\.0\.1:tcp/,
  });
});

test('a KUBECONFIG that leads nowhere leaves the service account, else is refused', async (t) => {
  const { home, serviceAccount } = await environment(t);
  const KUBECONFIG = join(home, 'missing');
  const found = await findConnection({ env: { ...IN_CLUSTER, KUBECONFIG }, home, serviceAccount });
  assert.equal(found.server, 'https://10.0.0.1:443');
  await assert.rejects(findConnection({ env: { KUBECONFIG }, home, serviceAccount }), {
    message:
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
  });
});

test('without a home no file is looked for', async (t) => {
  const { serviceAccount } = await environment(t);
  await assert.rejects(findConnection({ env: {}, home: '', serviceAccount }), /no configuration has been provided/);
});

test('with nothing at hand, both ways that failed are told', async (t) => {
  const { serviceAccount } = await environment(t);
  await assert.rejects(findConnection({ env: {}, home: '/nowhere', serviceAccount }), {
    name: 'ConnectionConfigError',
    message:
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable ' +
      '(unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined)',
  });
});
