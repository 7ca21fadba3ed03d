// The AWS provider on a real control plane, with the emulator for its AWS: a NodeClaim becomes a Ready node, and goes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { isTrue, type Node, NODES, READY } from '@karpenter-ts/kubernetes';
import { isNotFound } from '@karpenter-ts/runtime';
import { type AwsCloud, startAwsCloud } from './operator/aws-cloud.ts';
import { nodeClaimManifest, nodeClassManifest } from './operator/aws-manifests.ts';
import { type Installation, install } from './operator/installation.ts';
import { until } from './operator/until.ts';

describe('the AWS provider', () => {
  let karpenter: Installation;
  let cloud: AwsCloud;

  before(async () => {
    karpenter = await install('aws', 'aws');
    cloud = await startAwsCloud(karpenter.lab, karpenter.client);
    karpenter.start(cloud.env);
  });
  after(async () => {
    await karpenter.stop();
    await cloud.stop();
  });

  test('a NodeClaim becomes a Ready node, and its deletion terminates the instance', async () => {
    const { client, lab } = karpenter;
    const status = cloud.nodeClassStatus;
    const manifests = [nodeClassManifest('default'), nodeClaimManifest('first', 'default')];
    await lab.kubectl(['create', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }),
    });
    // The controller that finds this out comes later.
    const patch = ['patch', 'ec2nodeclass', 'default', '--subresource=status', '--type=merge', '-p'];
    await lab.kubectl([...patch, JSON.stringify({ status })]);

    const nodeClaim = await until('the NodeClaim is Ready', async () => {
      const found = await client.get<NodeClaim>(NODE_CLAIMS, { name: 'first' });
      return isTrue(found, READY) && found;
    });
    const node = await client.get<Node>(NODES, { name: nodeClaim.status!.nodeName! });
    const [instance, ...others] = cloud.emulator.ec2.instances();
    assert.deepEqual(others, []);
    assert.equal(node.spec?.providerID, `aws:///${instance?.zone.name}/${instance?.id}`);
    assert.equal(node.metadata.labels?.['node.kubernetes.io/instance-type'], 'm5.large');
    assert.equal(node.metadata.labels?.['karpenter.sh/capacity-type'], 'on-demand');

    await client.delete(NODE_CLAIMS, { name: 'first' });
    await until('NodeClaim and Node are gone', async () => {
      const gone = await Promise.all([
        isGone(client.get(NODE_CLAIMS, { name: 'first' })),
        isGone(client.get(NODES, node.metadata)),
      ]);
      return gone.every(Boolean);
    });
    await until('the instance is terminated', async () => instance?.state === 'terminated');
  });

  test('no request was forbidden', () => {
    assert.deepEqual(karpenter.proxy.refused, []);
  });
});

async function isGone(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return false;
  } catch (error) {
    return isNotFound(error);
  }
}
