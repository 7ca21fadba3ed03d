import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatIncompatibility, toRequirement } from '@karpenter-ts/apis';
import { FAKE_PROFILE } from '../../testing/fake-types.ts';
import { findContradictions } from './contradiction.ts';

const told = (...specs: readonly (readonly [operator: string, ...values: string[]])[]) =>
  findContradictions(
    specs.map(([operator, ...values]) => toRequirement({ key: 'k', operator, values }, FAKE_PROFILE)),
  ).map(formatIncompatibility);

test('requirements contradict each other where no value and not its absence either meets all of them', () => {
  assert.deepEqual(told(['In', 'a', 'b'], ['In', 'b', 'c']), []);
  assert.deepEqual(told(['In', 'a', 'b'], ['In', 'b', 'c'], ['In', 'a', 'c']), ['key k, k In [a c] not in k In [b]']);
  assert.deepEqual(told(['NotIn', 'a'], ['DoesNotExist']), []);
  assert.deepEqual(told(['NotIn', 'a'], ['DoesNotExist'], ['Exists']), ['key k, k Exists not in k DoesNotExist']);
  assert.deepEqual(told(['Gt', '1'], ['Lt', '3'], ['NotIn', '2']), ['key k, k NotIn [2] not in k Exists >=2 <=2']);
  assert.deepEqual(told(['Lt', '0']), ['key k, k Exists <=-1 not in k Exists']);
});
