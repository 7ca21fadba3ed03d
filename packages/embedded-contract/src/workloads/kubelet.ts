import assert from 'node:assert/strict';
import { findCondition, type Lease, LEASES, type Node, NODES, type Pod, PODS } from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

interface PodAddresses {
  readonly hostIP?: string;
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
}

function running(env: WorkloadEnvironment, name: string): Promise<Pod> {
  return env.until<Pod>(PODS, name, 'runs', ({ status }) => status?.phase === 'Running');
}

export const kubeletCases: readonly ContractCase[] = [
  workloadCase('a node with a kubelet says how it is', async (env) => {
    const name = await env.node('a', { labels: { 'kubernetes.io/arch': 'amd64' } });
    const { status } = await env.get<Node>(NODES, name);
    const said = Object.fromEntries(
      (status?.conditions ?? []).map(({ type, status: value, reason }) => [type, `${value} ${reason}`]),
    );
    assert.deepEqual(said, {
      Ready: 'True KubeletReady',
      MemoryPressure: 'False KubeletHasSufficientMemory',
      DiskPressure: 'False KubeletHasNoDiskPressure',
      PIDPressure: 'False KubeletHasSufficientPID',
      NetworkUnavailable: 'False RouteCreated',
    });
    assert.equal(findCondition({ status }, 'Ready')?.message, 'kubelet is posting ready status');
    assert.equal(status?.nodeInfo?.['architecture'], 'amd64');
    assert.equal(status?.nodeInfo?.['operatingSystem'], 'linux');
    assert.ok(status?.addresses?.some(({ type, address }) => type === 'Hostname' && address === name));
    assert.ok(status?.addresses?.some(({ type }) => type === 'InternalIP'));
  }),

  workloadCase('a node keeps the capacity it was created with', async (env) => {
    const name = env.nodeName('small');
    const capacity = { cpu: '2', memory: '4Gi', pods: '8' };
    await env.create(NODES, {
      metadata: { name, annotations: { 'kwok.x-k8s.io/node': 'fake' } },
      status: { capacity, allocatable: { ...capacity, cpu: '1900m' } },
    });
    env.context.defer(() => env.delete(NODES, name));
    const { status } = await env.until<Node>(
      NODES,
      name,
      'is ready',
      (node) => findCondition(node, 'Ready')?.status === 'True',
    );
    assert.deepEqual(status?.capacity, capacity);
    assert.equal(status?.allocatable?.['cpu'], '1900m');
  }),

  workloadCase('a node renews its lease', async (env) => {
    const { client } = env.context;
    const name = await env.node('a');
    const ref = { name, namespace: 'kube-node-lease' };
    const lease = await env.context.until('the lease is there, and the node its owner', async () => {
      const found = await client.get<Lease>(LEASES, ref);
      return found.metadata.ownerReferences !== undefined && found; // it may come before the kubelet knows its node
    });
    assert.equal(lease.spec?.leaseDurationSeconds, 40);
    assert.equal(lease.metadata.ownerReferences?.[0]?.kind, 'Node');
    assert.equal(lease.metadata.ownerReferences?.[0]?.name, name);
    await env.context.until(
      'it is renewed',
      async () => (await client.get<Lease>(LEASES, ref)).spec?.renewTime !== lease.spec?.renewTime,
    );
  }),

  workloadCase('a pod on a node runs, is ready and has an address', async (env) => {
    await env.node('a');
    await env.pod('web');
    const { status } = await running(env, 'web');
    for (const type of ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready']) {
      assert.equal(findCondition({ status }, type)?.status, 'True', type);
    }
    const { hostIP, podIP, podIPs } = status as PodAddresses;
    assert.ok(hostIP);
    assert.deepEqual(podIPs, [{ ip: podIP }]);
    assert.ok(status?.startTime);
    const [container] = status?.containerStatuses ?? [];
    assert.equal(container?.name, 'main');
    assert.ok(container?.state?.running?.startedAt);
    assert.equal(container?.restartCount, 0);
  }),

  workloadCase('init containers have ended before a pod runs, sidecars run with it', async (env) => {
    await env.node('a');
    const image = 'registry.example/init:1';
    await env.pod('web', {
      initContainers: [
        { name: 'prepare', image },
        { name: 'sidecar', image, restartPolicy: 'Always' },
      ],
    });
    const { status } = await running(env, 'web');
    const [prepare, sidecar] = status?.initContainerStatuses ?? [];
    assert.equal(prepare?.state?.terminated?.exitCode, 0);
    assert.ok(sidecar?.state?.running);
  }),

  workloadCase('readiness gates of a pod are opened', async (env) => {
    await env.node('a');
    await env.pod('web', { readinessGates: [{ conditionType: 'example.com/checked' }] });
    const { status } = await running(env, 'web');
    assert.equal(findCondition({ status }, 'example.com/checked')?.status, 'True');
  }),

  workloadCase('a pod on the network of its host has the address of that', async (env) => {
    await env.node('a');
    await env.pod('web', { hostNetwork: true });
    const { status } = await running(env, 'web');
    const { hostIP, podIP } = status as PodAddresses;
    assert.equal(podIP, hostIP);
  }),

  workloadCase('a deleted pod is gone as soon as it has stopped', async (env) => {
    await env.node('a');
    await env.pod('web');
    await running(env, 'web');
    await env.delete(PODS, 'web');
    await env.untilGone(PODS, 'web');
  }),

  workloadCase('a pod that is not bound to a node does not run', async (env) => {
    await env.node('a');
    await env.pod('web', { nodeSelector: { 'workloads.test/environment': 'nowhere' } });
    await env.context.clock.sleep(500);
    assert.equal((await env.get<Pod>(PODS, 'web')).status?.phase, 'Pending');
  }),
];
