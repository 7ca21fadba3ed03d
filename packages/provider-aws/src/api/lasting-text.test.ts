import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastingText } from './lasting-text.ts';

const ROLE = 'arn:aws:iam::123456789012:role/node';

for (const [what, text, lasting] of [
  ['the name of an instance profile', 'test-cluster_4067990795380418201 is not there', 'test-cluster_* is not there'],
  [
    'the times of a signature',
    'Signature expired: 20261119T230000Z is now earlier than 20261119T230500Z (20261119T232000Z - 15 min.)',
    'Signature expired: * is now earlier than * (* - 15 min.)',
  ],
  ['an address', 'connect ETIMEDOUT 52.94.1.20:443', 'connect ETIMEDOUT *'],
  ['an IPv6 address', 'connect ETIMEDOUT 2600:1f18::12:443', 'connect ETIMEDOUT *'],
] as const) {
  test(`${what} is left out of what a condition says of an error`, () => {
    assert.equal(lastingText(text), lasting);
  });
}

test('roles, images and times of day stay in what a condition says of an error', () => {
  for (const text of [
    `${ROLE} may not do this`,
    'ami-0123456789abcdef0 in us-east-1a',
    'since 12:30:45',
    '10.0.0.0/16',
  ]) {
    assert.equal(lastingText(text), text);
  }
});
