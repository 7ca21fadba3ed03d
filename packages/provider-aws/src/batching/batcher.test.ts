import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { batchSize, batchTime } from './batch-metrics.ts';
import { Batcher, type BatcherSettings } from './batcher.ts';

interface Execution {
  readonly inputs: readonly string[];
  readonly signal: AbortSignal;
  finish(outputs: readonly string[]): void;
  fail(error: Error): void;
}

/** A batcher of texts whose bucket is their first letter, and whose executions the test ends. */
function environment(settings: Partial<BatcherSettings<string, string>> = {}) {
  const clock = new VirtualClock();
  const metrics = new Metrics(clock);
  const executions: Execution[] = [];
  const batcher = new Batcher<string, string>(
    {
      name: 'test',
      idle: 35,
      max: 1000,
      maxItems: 1000,
      bucketOf: (input) => input[0]!,
      execute: (inputs, signal) =>
        new Promise((resolve, reject) => {
          const finish = (outputs: readonly string[]) => resolve(outputs.map((output) => ({ output })));
          executions.push({ inputs, signal, finish, fail: reject });
        }),
      ...settings,
    },
    { clock, metrics },
  );
  return { clock, metrics, executions, batcher };
}

test('07/141 a window closes after the idle gap, and its length and the size of the batch are observed once', async () => {
  const { clock, metrics, executions, batcher } = environment();
  const first = batcher.add('a1', NEVER);
  await clock.advance(30);
  const second = batcher.add('a2', NEVER);
  await clock.advance(34);
  assert.equal(executions.length, 0);
  await clock.advance(1);
  assert.deepEqual(executions[0]!.inputs, ['a1', 'a2']);
  executions[0]!.finish(['A1', 'A2']);
  assert.deepEqual(await Promise.all([first, second]), ['A1', 'A2']);
  assert.equal(metrics.find(batchSize, { batcher: 'test' }), 1);
  assert.equal(metrics.find(batchTime, { batcher: 'test' }), 1);
});

test('a window that never idles closes at its maximum', async () => {
  const { clock, executions, batcher } = environment();
  for (let index = 0; index < 60; index++) {
    void batcher.add(`a${index}`, NEVER);
    await clock.advance(20);
  }
  assert.equal(executions[0]!.inputs.length, 50); // at 0, 20, …, 980 ms
});

test('a window closes at its item limit, counted over all buckets', async () => {
  const { clock, executions, batcher } = environment({ maxItems: 3 });
  for (const input of ['a1', 'b1', 'a2', 'a3']) void batcher.add(input, NEVER);
  await clock.flush();
  assert.deepEqual(
    executions.map(({ inputs }) => inputs),
    [['a1', 'a2'], ['b1']],
  );
});

test('07/90 never more than a hundred buckets are carried out at once', async () => {
  const { clock, executions, batcher } = environment({ bucketOf: (input) => input });
  const answers = Array.from({ length: 300 }, (_, index) => batcher.add(String(index), NEVER));
  await clock.advance(100);
  assert.equal(executions.length, 100);
  let finished = 0;
  while (finished < 300) {
    executions[finished++]!.finish(['done']);
    await clock.flush();
    assert.ok(executions.length <= finished + 100);
  }
  assert.equal((await Promise.all(answers)).length, 300);
});

test('a caller that leaves is answered at once, and the call goes on for the others', async () => {
  const { clock, executions, batcher } = environment();
  const cancelling = new AbortController();
  const first = batcher.add('a1', cancelling.signal);
  const second = batcher.add('a2', NEVER);
  await clock.advance(35);
  cancelling.abort(new Error('stopped'));
  await assert.rejects(first, /stopped/);
  assert.equal(executions[0]!.signal.aborted, false);
  executions[0]!.finish(['A1', 'A2']);
  assert.equal(await second, 'A2');
});

test('a call is aborted when all its callers have left, and others are not', async () => {
  const { clock, executions, batcher } = environment();
  const cancelling = new AbortController();
  const left = [batcher.add('a1', cancelling.signal), batcher.add('a2', cancelling.signal)];
  const other = batcher.add('b1', NEVER);
  await clock.advance(35);
  cancelling.abort(new Error('stopped'));
  for (const one of left) await assert.rejects(one, /stopped/);
  assert.equal(executions[0]!.signal.aborted, true);
  assert.equal(executions[1]!.signal.aborted, false);
  executions[1]!.finish(['B1']);
  assert.equal(await other, 'B1');
});

test('a caller that leaves before the window closes asks for nothing', async () => {
  const { clock, executions, batcher } = environment();
  const cancelling = new AbortController();
  const left = batcher.add('a1', cancelling.signal);
  void batcher.add('a2', NEVER);
  cancelling.abort(new Error('stopped'));
  await assert.rejects(left, /stopped/);
  await clock.advance(35);
  assert.deepEqual(executions[0]!.inputs, ['a2']);
});

test('equal requests: what there is goes to those who still wait, and the rest is discarded', async () => {
  const discarded: string[] = [];
  const { clock, executions, batcher } = environment({ discard: (output) => discarded.push(output) });
  const cancelling = new AbortController();
  const left = batcher.add('a', cancelling.signal);
  const waiting = batcher.add('a', NEVER);
  await clock.advance(35);
  cancelling.abort(new Error('stopped'));
  await assert.rejects(left, /stopped/);
  executions[0]!.finish(['i-1', 'i-2']);
  assert.equal(await waiting, 'i-1');
  await clock.flush();
  assert.deepEqual(discarded, ['i-2']);
});

test('07/144 a failing call is the answer to every caller, and callers without an answer get an error', async () => {
  const { clock, executions, batcher } = environment();
  const failing = [batcher.add('a1', NEVER), batcher.add('a2', NEVER)];
  const short = [batcher.add('b1', NEVER), batcher.add('b2', NEVER)];
  const outcomes = Promise.allSettled([...failing, ...short]);
  await clock.advance(35);
  executions[0]!.fail(new Error('no'));
  executions[1]!.finish(['B1']);
  assert.deepEqual(
    (await outcomes).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason.message))),
    ['no', 'no', 'B1', 'error making call'],
  );
});
