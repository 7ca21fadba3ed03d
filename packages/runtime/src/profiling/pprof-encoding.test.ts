import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { encodePprof } from './pprof-encoding.ts';

type Fields = Map<number, (number | Buffer)[]>;

/** Reads a protobuf message as its wire format has it, knowing nothing of profiles. */
function read(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = varint(); // the value, or how long it is
    const value = tag % 8 === 0 ? number : bytes.subarray(at, at + number);
    if (value instanceof Buffer) at += number;
    fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Fields, field: number): Fields[] =>
  (fields.get(field) ?? []).map((value) => read(value as Buffer));
const numbers = (packed: Buffer): number[] => {
  const found: number[] = [];
  let [value, scale] = [0, 1];
  for (const byte of packed) {
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    found.push(value);
    [value, scale] = [0, 1];
  }
  return found;
};

test('a profile reads back as the stacks and values it was made of', () => {
  const outer = { name: 'outer', file: '/app/main.ts', line: 3 };
  const inner = { name: 'inner', file: '/app/main.ts', line: 300 };
  const profile = read(
    gunzipSync(
      encodePprof({
        types: [
          { type: 'samples', unit: 'count' },
          { type: 'cpu', unit: 'nanoseconds' },
        ],
        samples: [
          { stack: [inner, outer], values: [2, 2 ** 40 + 1] },
          { stack: [outer], values: [0, 127] },
        ],
        period: { type: 'cpu', unit: 'nanoseconds', value: 1_000_000 },
        startedAt: Date.UTC(2026, 0, 1),
        durationMs: 250,
      }),
    ),
  );
  const strings = profile.get(6)!.map(String);
  assert.equal(strings[0], '');
  const names = new Map(messages(profile, 5).map((it) => [it.get(1)![0], strings[it.get(2)![0] as number]]));
  const locations = new Map(
    messages(profile, 4).map((it) => {
      const line = messages(it, 4)[0]!;
      return [it.get(1)![0], `${names.get(line.get(1)![0])}:${String(line.get(2)![0])}`];
    }),
  );
  const samples = messages(profile, 2).map((it) => ({
    stack: numbers(it.get(1)![0] as Buffer).map((id) => locations.get(id)),
    values: numbers(it.get(2)![0] as Buffer),
  }));
  assert.deepEqual(samples, [
    { stack: ['inner:300', 'outer:3'], values: [2, 2 ** 40 + 1] },
    { stack: ['outer:3'], values: [0, 127] },
  ]);
  const units = messages(profile, 1).map((it) => [1, 2].map((field) => strings[it.get(field)![0] as number]));
  assert.deepEqual(units, [
    ['samples', 'count'],
    ['cpu', 'nanoseconds'],
  ]);
  assert.equal(profile.get(9)![0], Date.UTC(2026, 0, 1) * 1e6);
  assert.equal(profile.get(10)![0], 250e6);
  assert.equal(profile.get(12)![0], 1_000_000);
});
