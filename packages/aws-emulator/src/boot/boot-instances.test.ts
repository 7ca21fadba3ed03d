import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from '@karpenter-ts/kubernetes';
import { MINUTE } from '../clock.ts';
import { startEc2 } from '../services/ec2/testing/ec2-fixture.ts';
import type { NodeApi } from './instance-boots.ts';

const CLUSTER = { name: 'demo', endpoint: 'https://k.example', certificateAuthority: 'Q0E=' };

/** Nodes in a map, without a cluster. */
function mapOfNodes(): NodeApi & { readonly nodes: Map<string, Node>; readonly silent: Set<string> } {
  const nodes = new Map<string, Node>();
  const silent = new Set<string>();
  return {
    nodes,
    silent,
    create: async (node) => {
      nodes.set(node.metadata.name, node);
      return undefined;
    },
    silence: async (name) => void silent.add(name),
    delete: async (name) => void nodes.delete(name),
  };
}

function userData(cluster: string): string {
  const maxPods = "--use-max-pods false --kubelet-extra-args '--max-pods=17 --node-labels=team=a'";
  return Buffer.from(`#!/bin/bash\n/etc/eks/bootstrap.sh ${cluster} ${maxPods}\n`).toString('base64');
}

test('an instance of a fleet becomes the Node of its own address, zone, image and volumes, until it ends', async (t) => {
  const { clock, ec2, emulator, template, fleet } = await startEc2(t);
  const nodes = mapOfNodes();
  const boots = emulator.bootInto({ nodes, cluster: CLUSTER });
  const ImageId = ec2.addImage({ name: 'amazon-eks-arm64-node-1.32-v20250915', architecture: 'arm64' });
  const BlockDeviceMappings = [{ DeviceName: ec2.findImage(ImageId)!.rootDevice.name, Ebs: { VolumeSize: 40 } }];
  await template('own', { ImageId, UserData: userData('demo'), BlockDeviceMappings });
  await fleet({ template: 'own', types: ['m6g.large'], zones: ['us-east-1b'] });
  await clock.advance(1 * MINUTE);

  const [instance] = ec2.instances();
  const [node] = nodes.nodes.values();
  assert.equal(node?.metadata.name, instance?.privateDnsName);
  assert.equal(node?.spec?.providerID, `aws:///us-east-1b/${instance?.id}`);
  assert.equal(node?.metadata.labels?.['kubernetes.io/arch'], 'arm64');
  assert.equal(node?.metadata.labels?.['team'], 'a');
  assert.equal(node?.status?.capacity?.['pods'], '17');
  assert.equal(node?.status?.addresses?.[0]?.address, instance?.networkInterfaces[0]?.addresses[0]);
  assert.match(String(node?.status?.capacity?.['ephemeral-storage']), /^419\d{5}Ki$/);
  assert.deepEqual(boots.stateOf(instance!.id), { kind: 'joined', node: node?.metadata.name });

  ec2.terminate(instance!.id);
  await clock.advance(10_000);
  assert.deepEqual([...nodes.silent], [node?.metadata.name]);
  await clock.advance(1 * MINUTE);
  assert.equal(nodes.nodes.size, 0);
});

test('an instance without user data runs and never joins', async (t) => {
  const { clock, ec2, emulator, template, fleet } = await startEc2(t);
  const nodes = mapOfNodes();
  const boots = emulator.bootInto({ nodes, cluster: CLUSTER });
  await template('bare');
  await fleet({ template: 'bare', types: ['m5.large'] });
  await clock.advance(10 * MINUTE);
  const [instance] = ec2.instances();
  assert.equal(instance?.state, 'running');
  assert.equal(nodes.nodes.size, 0);
  assert.deepEqual(boots.stateOf(instance.id), { kind: 'failed', failure: { kind: 'no-bootstrap', family: 'Custom' } });
});
