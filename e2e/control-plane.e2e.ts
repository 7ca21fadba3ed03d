import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { findLabStatus, openLab, startLab } from './lab/lab.ts';
import { identify } from './lab/processes.ts';

const lab = openLab();
/** The suite before this one leaves hundreds of namespaces to remove: controllers may be busy with them. */
const PATIENCE = '--timeout=180s';
const get = async (...args: readonly string[]) => JSON.parse(await lab.kubectl(['get', '-o', 'json', ...args]));
const create = (object: unknown) => lab.kubectl(['create', '-f', '-'], { input: JSON.stringify(object) });

test('the server is Kubernetes v1.35.4', async () => {
  const { serverVersion } = JSON.parse(await lab.kubectl(['version', '-o', 'json']));
  assert.deepEqual([serverVersion.gitVersion, serverVersion.major, serverVersion.minor], ['v1.35.4', '1', '35']);
});

test('only the user can read the kubeconfig', () => {
  assert.equal(statSync(lab.kubeconfigPath).mode & 0o777, 0o600);
});

test('from the start only admin has rights', async () => {
  const listNodes = (role: string) => lab.kubectl(['--context', role, 'get', 'nodes', '-o', 'name']);
  await listNodes('admin');
  await assert.rejects(listNodes('karpenter'), {
    message: /User "system:serviceaccount:kube-system:karpenter" cannot list resource "nodes"/,
  });
  await assert.rejects(listNodes('developer'), { message: /User "developer" cannot list resource "nodes"/ });
});

describe('a simulated node', () => {
  const namespace = `control-plane-${process.pid}`;
  const node = `${namespace}-node`;
  const taint = { key: namespace, effect: 'NoSchedule' }; // keeps the pods of other suites away

  before(async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node, labels: { suite: namespace }, annotations: { 'kwok.x-k8s.io/node': 'fake' } },
      spec: { taints: [taint] },
    });
    await lab.kubectl(['wait', '--for=condition=Ready', `node/${node}`, PATIENCE]);
  });

  after(() => lab.kubectl(['delete', '--wait=false', `namespace/${namespace}`, `node/${node}`]));

  const podSpec = {
    nodeSelector: { suite: namespace },
    tolerations: [{ ...taint, operator: 'Exists' }],
    initContainers: [{ name: 'prepare', image: 'none' }],
    containers: [{ name: 'main', image: 'none' }],
  };

  test('keeps a lease', async () => {
    await lab.kubectl(['wait', '--for=create', '-n', 'kube-node-lease', `lease/${node}`, PATIENCE]);
    const lease = await get('-n', 'kube-node-lease', 'lease', node);
    assert.equal(lease.spec.leaseDurationSeconds, 40);
    assert.ok(Date.now() - Date.parse(lease.spec.renewTime) < 40_000);
  });

  test('runs the three pods of a Deployment', async () => {
    const labels = { app: 'three' };
    await create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'three', namespace },
      spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
    });
    await lab.kubectl(['rollout', 'status', '-n', namespace, 'deployment/three', PATIENCE]);
    const pods = (await get('-n', namespace, 'pods', '-l', 'app=three')).items;
    assert.deepEqual(
      pods.map((pod: { spec: { nodeName: string }; status: { phase: string } }) => [
        pod.spec.nodeName,
        pod.status.phase,
      ]),
      Array.from({ length: 3 }, () => [node, 'Running']),
    );
    assert.equal(new Set(pods.map((pod: { status: { podIP: string } }) => pod.status.podIP)).size, 3);
  });

  test('finishes a Job', async () => {
    await create({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once', namespace },
      spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } },
    });
    await lab.kubectl(['wait', '-n', namespace, '--for=condition=Complete', 'job/once', PATIENCE]);
  });

  test('lets a deleted pod go', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'gone', namespace }, spec: podSpec };
    await create(pod);
    await lab.kubectl(['wait', '-n', namespace, '--for=condition=Ready', 'pod/gone', PATIENCE]);
    await lab.kubectl(['delete', '-n', namespace, 'pod/gone', PATIENCE]);
    assert.equal(await lab.kubectl(['get', '-n', namespace, '--ignore-not-found', 'pod/gone']), '');
  });
});

test('a stopped lab leaves no process and no file', async () => {
  const small = await startLab({ name: `small-${process.pid}`, components: ['etcd', 'kube-apiserver'] });
  const services = findLabStatus(small.name)?.services ?? [];
  assert.deepEqual(
    services.map((service) => [service.name, service.running]),
    [
      ['etcd', true],
      ['kube-apiserver', true],
    ],
  );
  await small.stop();
  // Not by signal 0: that still finds a process that has ended until Node has collected its exit code.
  for (const { pid } of services) assert.equal(identify(pid), undefined);
  assert.equal(existsSync(small.kubeconfigPath), false);
  await small.stop(); // once more does no harm
});
