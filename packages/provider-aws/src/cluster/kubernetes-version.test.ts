import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { eksVersion, KubernetesVersion, serverVersion } from './kubernetes-version.ts';

function environment(first: string) {
  const logger = recordingLogger();
  const env = { answer: first as string | Error, logger };
  const ask = async () => {
    if (env.answer instanceof Error) throw env.answer;
    return env.answer;
  };
  const kubernetes = new KubernetesVersion({ ask, clock: new VirtualClock(), logger });
  return Object.assign(env, { kubernetes });
}

test('05/27 08/125 the version is that of EKS, or of the API server without the plus sign', async () => {
  const describeCluster = async () => ({ cluster: { version: '1.34' }, $metadata: {} });
  assert.equal(await eksVersion({ describeCluster }, 'demo')(NEVER), '1.34');
  const read = async () => ({ major: '1', minor: '33+' }) as never;
  assert.equal(await serverVersion({ read })(NEVER), '1.33');
});

test('an answer without a version is a failure', async () => {
  const describeCluster = async () => ({ cluster: {}, $metadata: {} });
  await assert.rejects(eksVersion({ describeCluster }, 'demo')(NEVER));
  for (const read of [async () => ({}) as never, async () => Promise.reject(new Error('refused'))]) {
    await assert.rejects(serverVersion({ read })(NEVER), {
      message: 'getting kubernetes version from the kubernetes API',
    });
  }
});

test('08/158 when a refresh fails, the version stays', async () => {
  const env = environment('1.34');
  assert.throws(() => env.kubernetes.version);
  await env.kubernetes.refresh(NEVER);
  env.answer = new AwsError('ThrottlingException', 'slow down');
  await assert.rejects(env.kubernetes.refreshAndCheck(NEVER), {
    message: 'validating kubernetes version, api error ThrottlingException: slow down',
  });
  assert.equal(env.kubernetes.version, '1.34');
});

test('05/28 08/125 a version that is not supported is one error, and is used all the same', async () => {
  const env = environment('1.37');
  await env.kubernetes.refresh(NEVER);
  await assert.rejects(env.kubernetes.refreshAndCheck(NEVER), {
    message: 'validating kubernetes version, karpenter is not compatible with kubernetes version (version=1.37)',
  });
  await env.kubernetes.refreshAndCheck(NEVER);
  assert.equal(env.kubernetes.version, '1.37');
  for (const [version, isSupported] of [
    ['1.36', true],
    ['1.26', true],
    ['1.25', false],
    ['2.30', false],
  ] as const) {
    env.answer = version;
    if (isSupported) await env.kubernetes.refreshAndCheck(NEVER);
    else await assert.rejects(env.kubernetes.refreshAndCheck(NEVER));
  }
  assert.deepEqual(
    env.logger.lines.map(({ level, message, fields }) => [level, message, fields['version']]),
    ['1.37', '1.36', '1.26', '1.25', '2.30'].map((version) => ['debug', 'discovered kubernetes version', version]),
  );
});
