import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import { StatusError } from './status-error.ts';
import { ConnectionError } from './transport.ts';
import { LineSplitter, readEvents } from './watch-stream.ts';

async function* chunks(...parts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part as string);
}

async function namesIn(body: AsyncIterable<Buffer>): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of readEvents<ApiObject>({ body }))
    for (const event of batch) if (event.type !== 'BOOKMARK') names.push(event.object.metadata.name);
  return names;
}

const event = (name: string): string => `{"type":"ADDED","object":{"metadata":{"name":"${name}"}}}\n`;

test('however the bytes are cut, also inside characters, the lines are the same', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (lines, sizes) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const splitter = new LineSplitter();
      const found: string[] = [];
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        found.push(...splitter.push(bytes.subarray(at, at + size)));
        at += size;
      }
      assert.deepEqual(found, lines);
    }),
  );
});

test('events are read one by one, empty lines and a half line at the end passed over', async () => {
  assert.deepEqual(await namesIn(chunks(event('a'), '\n', event('b'), event('c').slice(0, 20))), ['a', 'b']);
});

test('a line without end is given up', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, 'x');
  await assert.rejects(namesIn(chunks(event('a'), ...Array.from({ length: 40 }, () => mebibyte))), {
    name: 'ConnectionError',
    message: 'the watch sent a line of more than 32 MiB',
  });
});

test('an ERROR event is thrown with its Status', async () => {
  const body = chunks(
    event('a'),
    '{"type":"ERROR","object":{"code":410,"reason":"Expired","message":"too old"}}\n',
    event('b'),
  );
  await assert.rejects(
    namesIn(body),
    (error) => error instanceof StatusError && error.code === 410 && error.message === 'too old',
  );
});

for (const line of [
  '{"type":"ADDED",',
  '"ADDED"',
  'null',
  '{"type":"LATER","object":{}}',
  '{"type":"ADDED","object":null}',
]) {
  test(`a line that is no event ends the stream: ${line}`, async () => {
    await assert.rejects(namesIn(chunks(event('a'), `${line}\n`, event('b'))), ConnectionError);
  });
}

test('whole numbers of 64 bits come as they were sent', async () => {
  const line = '{"type":"ADDED","object":{"metadata":{"name":"a"},"spec":{"seconds":9223372036854775807}}}';
  for await (const [first] of readEvents<ApiObject>({ body: chunks(`${line}\n`) }))
    assert.equal(JSON.stringify(first), line);
});
