import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingLogger } from '@karpenter-ts/runtime/testing';
import { TimeSlices } from '../state/time-slices.ts';
import { reportIgnoredPods } from './ignored-pods.ts';
import { startProvisioningEnvironment } from './testing/provisioning-environment.ts';

test('02/12 a value nobody knows, beside one that is known, is logged as an error', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const logger = recordingLogger();
  const unknownValues = [{ key: 'karpenter.sh/capacity-type', valid: ['spot'], invalid: ['bogus'] }];
  const slices = new TimeSlices(env.clock, new AbortController().signal);
  await reportIgnoredPods(env.deps, { selected: [], ignored: [], unknownValues }, slices, logger);
  assert.deepEqual(
    logger.lines.map(({ level, message, fields, error }) => ({ level, message, fields, error })),
    [
      {
        level: 'error',
        message: 'please correct found invalid values, proceeding with valid values',
        fields: { key: 'karpenter.sh/capacity-type', 'valid-values': ['spot'], 'invalid-values': ['bogus'] },
        error: 'invalid values found for key',
      },
    ],
  );
});
