import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE } from '@karpenter-ts/runtime';
import { REPAIR_POLICIES } from './repair-policies.ts';

test('a Node is replaced after half an hour in trouble, and after ten minutes if its accelerators fail', () => {
  assert.deepEqual(
    REPAIR_POLICIES.map(({ conditionType, conditionStatus, toleration }) => [
      conditionType,
      conditionStatus,
      toleration / MINUTE,
    ]),
    [
      ['Ready', 'False', 30],
      ['Ready', 'Unknown', 30],
      ['AcceleratedHardwareReady', 'False', 10],
      ['StorageReady', 'False', 30],
      ['NetworkingReady', 'False', 30],
      ['KernelReady', 'False', 30],
      ['ContainerRuntimeReady', 'False', 30],
    ],
  );
});
