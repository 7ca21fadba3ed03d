import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { Batcher } from './batcher.ts';

/** A batcher that someone waits on, and when that ended, in seconds; undefined as long as it has not. */
function start(idleSeconds = 5, maxSeconds = 10) {
  const clock = new VirtualClock();
  const batcher = new Batcher({ clock, idleDuration: idleSeconds * SECOND, maxDuration: maxSeconds * SECOND });
  const stop = new AbortController();
  const wait = () => {
    const wait: { endedAt?: number; opened?: boolean } = {};
    const ended = (opened: boolean) => Object.assign(wait, { endedAt: clock.elapsed() / SECOND, opened });
    void batcher.wait(stop.signal).then(ended, () => undefined);
    return wait;
  };
  return { clock, batcher, stop, wait };
}

test('02/1 a window closes when nothing has come for the idle time', async () => {
  const { clock, batcher, wait } = start();
  const waiting = wait();
  batcher.trigger('a');
  await clock.advance(20 * SECOND);
  assert.deepEqual(waiting, { endedAt: 5, opened: true });
});

test('02/2 what has triggered already does not keep the window open', async () => {
  const { clock, batcher, wait } = start();
  const waiting = wait();
  batcher.trigger('a');
  await clock.advance(3 * SECOND);
  batcher.trigger('a');
  await clock.advance(20 * SECOND);
  assert.equal(waiting.endedAt, 5);
});

test('02/3 what is new keeps the window open, though not beyond its longest', async () => {
  const { clock, batcher, wait } = start();
  const waiting = wait();
  batcher.trigger('a');
  await clock.advance(3 * SECOND);
  batcher.trigger('b');
  await clock.advance(20 * SECOND);
  assert.equal(waiting.endedAt, 8);

  const busy = wait();
  for (let i = 0; i < 20; i++) {
    batcher.trigger(`new-${i}`);
    await clock.advance(1 * SECOND);
  }
  assert.equal(busy.endedAt, 23 + 10);
});

test('02/4 without a trigger the wait is over after a second', async () => {
  const { clock, wait } = start();
  const waiting = wait();
  await clock.advance(2 * SECOND);
  assert.deepEqual(waiting, { endedAt: 1, opened: false });
});

test('what triggers while nobody waits opens the next window at once, and does not extend it again', async () => {
  const { clock, batcher, wait } = start();
  batcher.trigger('a');
  await clock.advance(60 * SECOND);
  const waiting = wait();
  await clock.advance(3 * SECOND);
  batcher.trigger('a');
  await clock.advance(20 * SECOND);
  assert.deepEqual(waiting, { endedAt: 65, opened: true });
  const next = wait();
  batcher.trigger('a'); // forgotten with the last window
  await clock.advance(20 * SECOND);
  assert.equal(next.opened, true);
});

test('a batch that is kept opens the next window without a trigger', async () => {
  const { clock, batcher, wait } = start();
  batcher.rearm();
  const waiting = wait();
  await clock.advance(20 * SECOND);
  assert.deepEqual(waiting, { endedAt: 5, opened: true });
});

test('an abort ends the wait at once and leaves no timer behind', async () => {
  const { clock, batcher, stop } = start();
  const waiting = batcher.wait(stop.signal);
  batcher.trigger('a');
  await clock.flush();
  stop.abort(new Error('stopped'));
  await assert.rejects(waiting, /stopped/);
  await assert.rejects(clock.runUntil(new Promise(() => undefined)), /nothing is left to run/);
});
