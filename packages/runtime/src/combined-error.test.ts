import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorText } from './logging/error-text.ts';
import { StatusError } from './client/status-error.ts';
import { combineErrors } from './combined-error.ts';

const conflict = new Error('patching node', {
  cause: new StatusError({ code: 409, reason: 'Conflict', message: 'no' }),
});
const a = new Error('a', { cause: new Error('b') });
const c = new Error('c');

test('one error is itself, several are told together, and conflicts only speak when alone', () => {
  assert.equal(combineErrors([]), undefined);
  assert.equal(combineErrors([conflict]), conflict);
  assert.equal(combineErrors([conflict, conflict]), conflict);
  assert.equal(combineErrors([conflict, a]), a);
  assert.equal(errorText(combineErrors([a, conflict, c])), 'a, b; c');
});
