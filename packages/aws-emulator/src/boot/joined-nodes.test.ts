// Nodes of booted instances in the embedded cluster: its kubelets run their pods.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startCluster } from '@karpenter-ts/embedded';
import { instanceTypeFacts } from '@karpenter-ts/ec2-facts';
import { findCondition, type Node, NODES, type Pod, PODS } from '@karpenter-ts/kubernetes';
import { type Client, isNotFound, MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { Timers } from '../state/timers.ts';
import type { BootingInstance } from './booting-instance.ts';
import { clientNodes } from './client-nodes.ts';
import { InstanceBoots } from './instance-boots.ts';

const CLUSTER = { name: 'demo', endpoint: 'https://k.example', certificateAuthority: 'Q0E=' };
const ID = 'i-0123456789abcdef0';
const NAME = 'ip-10-0-0-7.ec2.internal';

function instanceWith(labels: string): BootingInstance {
  const script = `#!/bin/bash\n/etc/eks/bootstrap.sh demo --kubelet-extra-args '--node-labels=${labels}'\n`;
  return {
    id: ID,
    type: instanceTypeFacts()['m5.large']!,
    imageName: 'amazon-eks-node-1.32-v20250915',
    architecture: 'x86_64',
    privateIp: '10.0.0.7',
    privateDnsName: NAME,
    region: 'us-east-1',
    zone: 'us-east-1a',
    zoneId: 'use1-az1',
    userData: Buffer.from(script).toString('base64'),
    volumes: [{ deviceName: '/dev/xvda', sizeGiB: 20 }],
    rootDeviceName: '/dev/xvda',
    efaInterfaces: 0,
  };
}

async function startBoot(t: TestContext, labels: string) {
  const clock = new VirtualClock();
  const { client, stop } = await startCluster({ clock, seed: 1 });
  const timers = new Timers(clock);
  t.after(async () => {
    timers.cancelAll();
    await clock.runUntil(stop());
  });
  const boots = new InstanceBoots({ timers, nodes: clientNodes(client), cluster: CLUSTER });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' } };
  await client.create(PODS, { ...pod, spec: { containers: [{ name: 'main', image: 'a' }] } });
  boots.start(instanceWith(labels));
  await clock.advance(1 * MINUTE);
  return { clock, client, boots };
}

async function findNode(client: Client): Promise<Node | undefined> {
  try {
    return await client.get<Node>(NODES, { name: NAME });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

test('an instance that joins becomes Ready and runs pods', async (t) => {
  const { client } = await startBoot(t, 'team=a');
  const node = await findNode(client);
  assert.equal(findCondition(node!, 'Ready')?.status, 'True');
  assert.equal(node?.metadata.labels?.['team'], 'a');
  assert.equal(node?.status?.capacity?.['pods'], '29');
  const { spec, status } = await client.get<Pod>(PODS, { name: 'web', namespace: 'default' });
  assert.deepEqual([spec.nodeName, status?.phase], [NAME, 'Running']);
});

test('a Node that the API server does not admit never comes, and the reason is kept', async (t) => {
  const { client, boots } = await startBoot(t, 'team=not/a/value');
  assert.equal(await findNode(client), undefined);
  const state = boots.stateOf(ID);
  assert.ok(state?.kind === 'failed' && state.failure.kind === 'rejected', JSON.stringify(state));
  assert.match(state.failure.detail, /not\/a\/value/);
});

test('a terminated instance falls silent, and its Node is deleted', async (t) => {
  const { client, clock, boots } = await startBoot(t, 'team=a');
  boots.shutDown(ID);
  await clock.advance(2 * MINUTE);
  assert.equal(findCondition((await findNode(client))!, 'Ready')?.status, 'Unknown');
  boots.terminate(ID);
  await clock.advance(10 * SECOND);
  assert.equal(await findNode(client), undefined);
});
