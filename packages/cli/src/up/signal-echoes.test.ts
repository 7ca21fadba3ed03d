import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { HOUR, listenForStop } from '@karpenter-ts/runtime';
import { AdjustableClock } from '@karpenter-ts/runtime/testing';
import { withoutEchoes } from './signal-echoes.ts';

test('a signal and its echoes stop in order; one that comes later ends at once', async () => {
  const clock = new AdjustableClock();
  const exits: number[] = [];
  const source = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) });
  const stop = listenForStop(withoutEchoes(source, clock));
  source.emit('SIGINT', 'SIGINT');
  assert.equal(stop.signal.aborted, true);
  source.emit('SIGINT', 'SIGINT');
  source.emit('SIGTERM', 'SIGTERM');
  assert.deepEqual(exits, []);
  clock.setWallBy(-1 * HOUR);
  await clock.advance(600);
  source.emit('SIGINT', 'SIGINT');
  assert.deepEqual(exits, [1]);
  stop.dispose();
  assert.equal(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM'), 0);
});
