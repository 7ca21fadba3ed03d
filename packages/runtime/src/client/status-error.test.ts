import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '../testing/fixture-client.ts';
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  isVersionTooLarge,
  StatusError,
  statusErrorOf,
  statusErrorOfEvent,
} from './status-error.ts';

const asked = { method: 'GET', type: PODS, name: 'web' };

test('an error carries the server’s Status as it came', () => {
  const status = {
    kind: 'Status',
    status: 'Failure',
    message: 'pods "web" not found',
    reason: 'NotFound',
    code: 404,
    details: { name: 'web', kind: 'pods', retryAfterSeconds: 3 },
  };
  const error = statusErrorOf(404, JSON.stringify(status), undefined, asked);
  assert.equal(error.message, 'pods "web" not found');
  assert.equal(error.reason, 'NotFound');
  assert.equal(error.code, 404);
  assert.deepEqual(error.status, status);
  assert.equal(error.retryAfterSeconds, 3);
});

test('the code is the answer’s, whatever its Status says of it', () => {
  for (const code of [undefined, 0, 409]) {
    const body = JSON.stringify({ kind: 'Status', status: 'Failure', message: 'later', code });
    assert.equal(statusErrorOf(503, body, undefined, asked).code, 503);
  }
});

test('an answer that is no Status is told in client-go’s words', () => {
  const texts = [400, 401, 403, 404, 409, 418, 422, 429, 500, 503, 504].map(
    (code) => statusErrorOf(code, 'page\n', undefined, asked).message,
  );
  assert.deepEqual(texts, [
    'the server rejected our request for an unknown reason (get pods web)',
    'the server has asked for the client to provide credentials (get pods web)',
    'page (get pods web)',
    'the server could not find the requested resource (get pods web)',
    'the server reported a conflict (get pods web)',
    'the server responded with the status code 418 but did not return more information (get pods web)',
    'the server rejected our request due to an error in our request (get pods web)',
    'the server has received too many requests and has asked us to try again later (get pods web)',
    'an error on the server ("page") has prevented the request from succeeding (get pods web)',
    'the server is currently unable to handle the request (get pods web)',
    'the server was unable to return a response in the time allotted, but may still be processing the request (get pods web)',
  ]);
});

for (const wrong of [
  { message: 5 },
  { reason: {} },
  { details: 'x' },
  { details: { retryAfterSeconds: 'x' } },
  { details: { causes: 3 } },
  { details: { causes: [null] } },
]) {
  test(`a Status with ${JSON.stringify(wrong)} is none`, () => {
    const object = { kind: 'Status', code: 500, ...wrong };
    const error = statusErrorOf(500, JSON.stringify(object), undefined, asked);
    assert.match(error.message, /^an error on the server \(.*\) has prevented the request from succeeding/);
    const ofEvent = statusErrorOfEvent(object);
    assert.equal(ofEvent.message, 'the server responded with the status code 500');
    for (const one of [error, ofEvent]) {
      assert.equal(one.retryAfterSeconds, undefined);
      assert.equal(isVersionTooLarge(one), false);
    }
  });
}

test('of a page without end no more is quoted than client-go does', () => {
  assert.ok(statusErrorOf(502, 'x'.repeat(100_000), undefined, asked).message.length < 2300);
});

test('each kind of refusal is told apart by its reason, or its code where there is none', () => {
  const error = (code: number, reason?: string) => new StatusError({ code, ...(reason ? { reason } : {}) });
  assert.ok(isNotFound(error(404, 'NotFound')) && isNotFound(error(404)));
  assert.ok(isConflict(error(409, 'Conflict')));
  assert.ok(!isConflict(error(409, 'AlreadyExists')));
  assert.ok(isAlreadyExists(error(409, 'AlreadyExists')));
  assert.ok(isAlreadyExists(statusErrorOf(409, '', undefined, { method: 'POST' })));
  assert.ok(isGone(error(410, 'Expired')) && isGone(error(410, 'Gone')));
  assert.ok(isTooManyRequests(error(429)));
  assert.ok(isInvalid(error(422)));
  assert.ok(isForbidden(error(403)));
  assert.ok(isUnauthorized(error(401)));
  assert.ok(!isNotFound(new Error('NotFound')));
});

test('a version the server has not reached is recognised by its cause', () => {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  assert.ok(isVersionTooLarge(new StatusError({ code: 504, reason: 'Timeout', details: { causes } })));
  assert.ok(!isVersionTooLarge(new StatusError({ code: 504, reason: 'Timeout' })));
});
