import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Batch } from './batch.ts';

function recorder() {
  const writes: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      done();
    },
  });
  return { writes, stream, batch: new Batch(stream) };
}

test('what comes in one turn is one write', async () => {
  const { writes, batch } = recorder();
  for (const part of ['a', 'b', 'c']) batch.add(Buffer.from(part));
  assert.deepEqual(writes, []);
  await setImmediate();
  batch.add(Buffer.from('d'));
  await setImmediate();
  assert.deepEqual(writes, ['abc', 'd']);
});

test('much is written at once', () => {
  const { writes, batch } = recorder();
  batch.add(Buffer.alloc(64 * 1024 - 1, 'x'));
  assert.equal(writes.length, 0);
  batch.add(Buffer.from('y'));
  assert.equal(writes[0]?.length, 64 * 1024);
});

test('a stream that has ended is left alone', async () => {
  const { writes, stream, batch } = recorder();
  batch.add(Buffer.from('a'));
  stream.destroy();
  await setImmediate();
  assert.deepEqual(writes, []);
});

test('what is left at the end goes with it', async () => {
  const { writes, stream, batch } = recorder();
  batch.add(Buffer.from('a'));
  batch.add(Buffer.from('b'));
  batch.end();
  await setImmediate();
  assert.deepEqual(writes, ['ab']);
  assert.equal(stream.writableFinished, true);
});
