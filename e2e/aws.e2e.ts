// The AWS provider on a real control plane, with the emulator for its AWS: what users apply becomes nodes, and goes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { isTrue, type Node, NODES, READY } from '@karpenter-ts/kubernetes';
import { isNotFound } from '@karpenter-ts/runtime';
import { checkOutcome } from './aws-guides/described-nodes.ts';
import { EXPECTATIONS } from './aws-guides/expectations.ts';
import { apply, findOutcome, isGone, ON_REAL_CONTROL_PLANE, readGuide, remove } from './aws-guides/guide.ts';
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

  describe('a guide for EKS ends in the nodes that it describes', { concurrency: true }, () => {
    for (const name of ON_REAL_CONTROL_PLANE) {
      test(name, async () => {
        const { client } = karpenter;
        const guide = readGuide(name);
        await apply(client, guide);
        const outcome = await until(`${name} has its nodes`, async () => {
          const found = await findOutcome(client, cloud.emulator, guide);
          if (typeof found === 'string') throw new Error(found);
          return found;
        });
        checkOutcome(outcome);
        EXPECTATIONS[name]?.(outcome);
        await remove(client, guide);
        await until(`${name} is gone`, () => isGone(client, cloud.emulator, guide));
      });
    }
  });

  test('a NodeClaim becomes a Ready node, and its deletion terminates the instance', async () => {
    const { client, lab } = karpenter;
    const manifests = [nodeClassManifest('default'), nodeClaimManifest('first', 'default')];
    await lab.kubectl(['create', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }),
    });
    const nodeClaim = await until('the NodeClaim is Ready', async () => {
      const found = await client.get<NodeClaim>(NODE_CLAIMS, { name: 'first' });
      return isTrue(found, READY) && found;
    });
    const node = await client.get<Node>(NODES, { name: nodeClaim.status!.nodeName! });
    const living = cloud.emulator.ec2.instances().filter(({ state }) => state === 'running');
    assert.equal(living.length, 1);
    const [instance] = living;
    assert.equal(node.spec?.providerID, `aws:///${instance?.zone.name}/${instance?.id}`);
    assert.equal(node.metadata.labels?.['node.kubernetes.io/instance-type'], 'm5.large');
    assert.equal(node.metadata.labels?.['karpenter.sh/capacity-type'], 'on-demand');

    await client.delete(NODE_CLAIMS, { name: 'first' });
    await until('NodeClaim and Node are gone', async () => {
      const gone = await Promise.all([
        isDeleted(client.get(NODE_CLAIMS, { name: 'first' })),
        isDeleted(client.get(NODES, node.metadata)),
      ]);
      return gone.every(Boolean);
    });
    await until('the instance is terminated', async () => instance?.state === 'terminated');
  });

  test('no request was forbidden', () => {
    assert.deepEqual(karpenter.proxy.refused, []);
  });
});

async function isDeleted(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return false;
  } catch (error) {
    return isNotFound(error);
  }
}
