// Where AWS publishes the images of an alias.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AmiFamily } from '@karpenter-ts/apis';
import { aliasParameters, UnsupportedAliasError } from './alias-parameters.ts';

const namesOf = (family: AmiFamily, version: string, kubernetes: string) =>
  aliasParameters({ family, version }, kubernetes).map(({ name }) => name);

test('08/130 a pinned al2 has the release in its three paths', () => {
  const root = '/aws/service/eks/optimized-ami/1.30';
  assert.deepEqual(namesOf('AL2', 'v20240625', '1.30'), [
    `${root}/amazon-linux-2/amazon-eks-node-1.30-v20240625/image_id`,
    `${root}/amazon-linux-2-arm64/amazon-eks-arm64-node-1.30-v20240625/image_id`,
    `${root}/amazon-linux-2-gpu/amazon-eks-gpu-node-1.30-v20240625/image_id`,
  ]);
});

test('08/20 releases of bottlerocket with and without a v are one release', () => {
  assert.deepEqual(namesOf('Bottlerocket', 'v1.20.4', '1.30'), namesOf('Bottlerocket', '1.20.4', '1.30'));
  assert.equal(
    namesOf('Bottlerocket', 'v1.20.4', '1.30')[0],
    '/aws/service/bottlerocket/aws-k8s-1.30/x86_64/1.20.4/image_id',
  );
});

test('parameters of latest are mutable, those of a release are not, and those of Windows always are', () => {
  const mutable = (family: AmiFamily, version: string) =>
    new Set(aliasParameters({ family, version }, '1.31').map((one) => one.mutable));
  assert.deepEqual(mutable('AL2023', 'latest'), new Set([true]));
  assert.deepEqual(mutable('AL2023', 'v20250715'), new Set([false]));
  assert.deepEqual(mutable('Windows2022', 'latest'), new Set([true]));
});

for (const version of ['1.33', '1.34']) {
  test(`08/16 al2 cannot be had on ${version}, but al2023 can`, () => {
    const text =
      'AL2 aliases are no longer supported on EKS 1.33+ ' +
      '(see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html#kubernetes-1-33)';
    assert.throws(() => namesOf('AL2', 'latest', version), new UnsupportedAliasError(text));
    assert.equal(namesOf('AL2023', 'latest', version).length, 5);
  });
}

test('08/142 a minor version that is no number is not judged', () => {
  assert.equal(namesOf('AL2', 'latest', '1.33x').length, 3);
  assert.equal(namesOf('AL2', 'latest', '1').length, 3);
  assert.equal(namesOf('Windows2025', 'latest', '1.x').length, 1);
});

test('08/17 windows2025 needs Kubernetes 1.35', () => {
  assert.throws(
    () => namesOf('Windows2025', 'latest', '1.34'),
    new UnsupportedAliasError('Windows Server 2025 requires EKS version 1.35 or higher, current version: 1.34'),
  );
  assert.equal(namesOf('Windows2025', 'latest', '1.35').length, 1);
});

test('a second @ in an alias is refused, where upstream ends', () => {
  assert.throws(() => namesOf('AL2023', 'a@b', '1.34'), UnsupportedAliasError);
});
