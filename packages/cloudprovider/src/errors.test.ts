import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateError,
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
  UnevaluatedNodePoolError,
} from './errors.ts';
import { findCause } from '@karpenter-ts/runtime';

const cause = new Error('inner');

test("errors say what upstream's say", () => {
  assert.equal(new NodeClaimNotFoundError(cause).message, 'nodeclaim not found, inner');
  assert.equal(new InsufficientCapacityError(cause).message, 'insufficient capacity, inner');
  assert.equal(new NodeClassNotReadyError(cause).message, 'NodeClassRef not ready, inner');
  assert.equal(new CreateError(cause, 'Reason', 'message').message, 'creating nodeclaim, inner');
  assert.equal(new UnevaluatedNodePoolError('default').message, 'nodepool "default" is awaiting evaluation');
});

test('an error is found through any wrapping, in errors thrown together too', () => {
  const error = new CreateError(new InsufficientCapacityError(cause), 'Reason', 'message');
  const wrapped = new Error('b', { cause: new AggregateError([cause, new Error('a', { cause: error })]) });
  assert.equal(findCause(wrapped, CreateError), error);
  assert.equal(findCause(wrapped, CreateError)?.conditionReason, 'Reason');
  assert.equal(findCause(wrapped, InsufficientCapacityError), error.cause);
  assert.equal(findCause(wrapped, NodeClaimNotFoundError), undefined);
  assert.equal(findCause('text', NodeClaimNotFoundError), undefined);
});
