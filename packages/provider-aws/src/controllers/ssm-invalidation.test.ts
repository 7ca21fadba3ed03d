import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, nullLogger, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { SsmParameters } from '../images/ssm-parameters.ts';
import { ssmInvalidationController } from './ssm-invalidation.ts';

test('images are looked at every half hour', async () => {
  const clock = new VirtualClock();
  const getParameter = async () => ({ Parameter: { Value: 'ami-1' }, $metadata: {} });
  const parameters = new SsmParameters({ ssm: { getParameter }, clock, logger: nullLogger, stopping: NEVER });
  await parameters.get({ name: '/latest', from: 'alias', mutable: true }, NEVER);
  const ec2 = { describeImages: async () => ({ Images: [], $metadata: {} }) };
  const { name, reconcile } = ssmInvalidationController({ parameters, ec2, clock });
  assert.equal(name, 'providers.ssm.invalidation');
  assert.deepEqual(await reconcile('', NEVER, nullLogger), { requeueAfter: 30 * MINUTE });
  assert.equal(parameters.mutableValues().size, 0);
});
