import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAwsError, isAwsAlreadyExists, isAwsNotFound } from '../api/aws-error.ts';
import { toCallError } from './service-errors.ts';

const exception = (name: string, Code?: string): Error =>
  Object.assign(new Error('because'), { name, $fault: 'client', ...(Code && { Code }) });

test('an error of IAM has the code that IAM wrote, not the name of the SDK’s class', () => {
  const call = { service: 'IAM', operation: 'GetInstanceProfile' };
  const missing = toCallError(exception('NoSuchEntityException', 'NoSuchEntity'), call);
  assert.equal(missing.message, 'api error NoSuchEntity: because');
  assert.ok(isAwsNotFound(missing));
  assert.ok(isAwsAlreadyExists(toCallError(exception('EntityAlreadyExistsException', 'EntityAlreadyExists'), call)));
});

test('an error of a queue has its code, not the one of the protocol before', () => {
  const before = 'AWS.SimpleQueueService.NonExistentQueue';
  const missing = toCallError(exception('QueueDoesNotExist', before), { service: 'SQS', operation: 'GetQueueUrl' });
  assert.equal(findAwsError(missing)?.code, 'QueueDoesNotExist');
});

test('an error of EKS keeps the name that EKS gives it', () => {
  const missing = toCallError(exception('ResourceNotFoundException'), { service: 'EKS', operation: 'DescribeCluster' });
  assert.equal(findAwsError(missing)?.code, 'ResourceNotFoundException');
});
