import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DescribeClusterCommand,
  EKSClient,
  ListClustersCommand,
  UpdateClusterVersionCommand,
} from '@aws-sdk/client-eks';
import { VirtualClock } from '@karpenter-ts/runtime';
import { startEmulator } from '../../emulator.ts';
import { sdkHandler } from '../../sdk-handler.ts';

test('a cluster is listed, and takes the next minor version of Kubernetes, but no other', async (t) => {
  const emulator = await startEmulator({ clock: new VirtualClock(), seed: 1 });
  const eks = new EKSClient({
    region: 'us-east-1',
    endpoint: 'http://aws.invalid',
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
    maxAttempts: 1,
    requestHandler: sdkHandler(emulator) as never,
  });
  t.after(async () => {
    eks.destroy();
    await emulator.stop();
  });
  emulator.eks.addCluster({ name: 'demo', version: '1.34' });
  assert.deepEqual((await eks.send(new ListClustersCommand({}))).clusters, ['demo']);
  const upgrade = (version: string) => eks.send(new UpdateClusterVersionCommand({ name: 'demo', version }));
  for (const version of ['1.36', '1.34', '1.33', 'latest']) {
    await assert.rejects(upgrade(version), {
      name: 'InvalidParameterException',
      message: `Unsupported Kubernetes minor version update from 1.34 to ${version}`,
    });
  }
  assert.equal((await upgrade('1.35')).update?.type, 'VersionUpdate');
  assert.equal((await eks.send(new DescribeClusterCommand({ name: 'demo' }))).cluster?.version, '1.35');
});
