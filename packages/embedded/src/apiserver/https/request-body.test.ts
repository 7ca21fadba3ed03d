import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readBody } from './request-body.ts';

const MEBIBYTE = 1024 * 1024;

function upload() {
  const stream = new PassThrough({ highWaterMark: 100 * MEBIBYTE });
  const request = Object.assign(stream, { headers: { 'transfer-encoding': 'chunked' } });
  return { stream, body: readBody(request as unknown as IncomingMessage) };
}

test('a body arrives whole, however it is cut', async () => {
  for (const parts of [[], ['{"a":1}'], ['{"a"', ':', '1}']]) {
    const { stream, body } = upload();
    for (const part of parts) stream.write(part);
    stream.end();
    assert.equal((await body).toString(), parts.join(''));
  }
});

test('what is far too large is not read to its end', async () => {
  const { stream, body } = upload();
  for (let i = 0; i < 40; i++) stream.write(Buffer.alloc(MEBIBYTE));
  await assert.rejects(body, { code: 413 });
  assert.equal(stream.isPaused(), true);
  assert.equal(stream.readableEnded, false);
});

test('a client that leaves half-way is no request', async () => {
  const { stream, body } = upload();
  stream.write('{"a"');
  stream.destroy(new Error('aborted'));
  await assert.rejects(body, /aborted/);
});
