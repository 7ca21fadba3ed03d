import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorText } from './error-text.ts';
import { errorValues, StructuredError } from './structured-error.ts';
import { LoggedRef } from './value-text.ts';

const onPod = (name: string): StructuredError =>
  new StructuredError('test error', { Pod: new LoggedRef({ namespace: 'web', name }) });

test('facts stand sorted in the message', () => {
  const error = new StructuredError('test', { b: 2, a: ['x', 'y'], c: new LoggedRef({ name: 'n' }) });
  assert.equal(error.message, 'test (a=[x y], b=2, c=n)');
});

test('facts are gathered from causes and from errors thrown together; repeated keys become lists', () => {
  const together = new AggregateError([onPod('a'), onPod('b')]);
  const outer = new StructuredError('wrapped', { Node: 'n' }, { cause: together });
  assert.deepEqual(errorValues(outer), {
    Node: 'n',
    Pods: [new LoggedRef({ namespace: 'web', name: 'a' }), new LoggedRef({ namespace: 'web', name: 'b' })],
  });
  assert.deepEqual(Object.keys(errorValues(new StructuredError('x', { b: 1, a: 2 }))), ['a', 'b']);
  assert.deepEqual(errorValues('no error'), {});
});

test('an error tells its causes once, and errors thrown together are separated by semicolons', () => {
  const cause = new Error('timed out');
  assert.equal(errorText(new Error('creating node', { cause })), 'creating node, timed out');
  assert.equal(errorText(new Error('creating node: timed out', { cause })), 'creating node: timed out');
  const outer = new Error('a node', { cause: new Error('creating node', { cause }) });
  assert.equal(errorText(outer), 'a node, creating node, timed out');
  const quoting = new Error('server: creating node', { cause: new Error('creating node', { cause }) });
  assert.equal(errorText(quoting), 'server: creating node, timed out');
  assert.equal(errorText(new AggregateError([onPod('a'), cause])), 'test error (Pod=web/a); timed out');
  assert.equal(errorText(new AggregateError([cause], 'draining')), 'draining, timed out');
  assert.equal(errorText(new TypeError()), 'TypeError');
});

test('an error that caused itself ends', () => {
  const error = new Error('loop');
  error.cause = error;
  assert.equal(errorText(error), 'loop');
  assert.deepEqual(errorValues(error), {});
});
