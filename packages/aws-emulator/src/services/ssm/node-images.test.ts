import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { VirtualClock } from '@karpenter-ts/runtime';
import { startEmulator } from '../../emulator.ts';
import { callerOf } from '../../testing/wire-call.ts';

async function start(t: TestContext) {
  const emulator = await startEmulator({ clock: new VirtualClock(), seed: 1 });
  t.after(() => emulator.stop());
  const get = async (Name: string) => {
    const { body } = await callerOf(emulator).json('ssm', 'AmazonSSM.GetParameter', { Name });
    return (body['Parameter'] as { readonly Value: string } | undefined)?.Value ?? body['__type'];
  };
  return { emulator, get };
}

const AL2023 = '/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard';

test('a release of node images is named by the parameters of all families', async (t) => {
  const { emulator, get } = await start(t);
  assert.equal(await get(`${AL2023}/recommended/image_id`), 'ParameterNotFound');
  const images = emulator.publishNodeImages({ kubernetes: '1.34' });
  for (const { id, parameters } of images) for (const name of parameters) assert.equal(await get(name), id, name);
  const parameters = images.flatMap((image) => image.parameters);
  for (const name of [
    `${AL2023}/amazon-eks-node-al2023-x86_64-standard-1.34-v20260101/image_id`,
    '/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/nvidia/recommended/image_id',
    '/aws/service/bottlerocket/aws-k8s-1.34/arm64/latest/image_id',
    '/aws/service/bottlerocket/aws-k8s-1.34-nvidia/x86_64/1.50.0/image_id',
    '/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.34/image_id',
  ]) {
    assert.ok(parameters.includes(name), name);
  }
  assert.ok(!parameters.some((name) => name.includes('amazon-linux-2/')), 'no AL2 since Kubernetes 1.33');
  assert.ok(!parameters.some((name) => name.includes('2025')), 'no Windows Server 2025 before Kubernetes 1.35');
});

test('a later release is recommended, and the earlier one is still found by its version', async (t) => {
  const { emulator, get } = await start(t);
  emulator.publishNodeImages({ kubernetes: '1.34' });
  const first = await get(`${AL2023}/recommended/image_id`);
  emulator.publishNodeImages({ kubernetes: '1.34', version: 'v20260201' });
  const second = await get(`${AL2023}/recommended/image_id`);
  assert.notEqual(second, first);
  assert.equal(await get(`${AL2023}/amazon-eks-node-al2023-x86_64-standard-1.34-v20260101/image_id`), first);
});

test('AL2 images are published up to Kubernetes 1.32', async (t) => {
  const { emulator, get } = await start(t);
  emulator.publishNodeImages({ kubernetes: '1.32' });
  const pinned = '/aws/service/eks/optimized-ami/1.32/amazon-linux-2-gpu/amazon-eks-gpu-node-1.32-v20260101/image_id';
  assert.match(String(await get(pinned)), /^ami-/);
});
