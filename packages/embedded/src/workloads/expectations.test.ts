import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, VirtualClock } from '@karpenter-ts/runtime';
import { Expectations } from './expectations.ts';

test('expectations are met when every creation and deletion has been seen', () => {
  const expectations = new Expectations(new VirtualClock());
  expectations.expectCreations('set', 2);
  expectations.expectDeletions('set', ['a']);
  expectations.created('set');
  expectations.deleted('set', 'a');
  assert.equal(expectations.areMet('set'), false);
  expectations.created('set');
  assert.equal(expectations.areMet('set'), true);
});

test('a deletion seen twice counts once, and one nobody expected counts for nothing', () => {
  const expectations = new Expectations(new VirtualClock());
  expectations.expectDeletions('set', ['a', 'b']);
  expectations.deleted('set', 'a');
  expectations.deleted('set', 'a');
  expectations.deleted('set', 'c');
  expectations.created('set');
  assert.equal(expectations.areMet('set'), false);
});

test('sets do not wait for one another', () => {
  const expectations = new Expectations(new VirtualClock());
  expectations.expectCreations('one', 1);
  assert.equal(expectations.areMet('other'), true);
  expectations.forget('one');
  assert.equal(expectations.areMet('one'), true);
});

test('what has not been seen after five minutes is given up', async () => {
  const clock = new VirtualClock();
  const expectations = new Expectations(clock);
  expectations.expectCreations('set', 1);
  await clock.advance(5 * MINUTE - 1);
  assert.equal(expectations.areMet('set'), false);
  await clock.advance(1);
  assert.equal(expectations.areMet('set'), true);
});
