import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareByWeight } from './weight.ts';

test('01/39 pools go by weight, then by name from the end of the alphabet', () => {
  const pool = (name: string, weight?: number) => ({ metadata: { name }, spec: { weight } });
  const sorted = [pool('a'), pool('b'), pool('c', 10), pool('d', 1)].sort(compareByWeight);
  assert.deepEqual(
    sorted.map(({ metadata }) => metadata.name),
    ['c', 'd', 'b', 'a'],
  );
});
