import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, nullLogger, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { KubernetesVersion } from '../cluster/kubernetes-version.ts';
import { kubernetesVersionController } from './kubernetes-version.ts';

test('the version is refreshed every five minutes, and one that is not supported is one failure', async () => {
  const kubernetes = new KubernetesVersion({ ask: async () => '1.37', clock: new VirtualClock(), logger: nullLogger });
  const { name, reconcile } = kubernetesVersionController(kubernetes);
  assert.equal(name, 'providers.version');
  await assert.rejects(reconcile('', NEVER, nullLogger), {
    message:
      'updating version, validating kubernetes version, karpenter is not compatible with kubernetes version (version=1.37)',
  });
  assert.deepEqual(await reconcile('', NEVER, nullLogger), { requeueAfter: 5 * MINUTE });
});
