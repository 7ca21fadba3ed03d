import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParsingTurns } from './sliced-parsing.ts';

test('pieces of work that wait at the same time are given turns of the event loop of their own', async () => {
  const turns = new ParsingTurns();
  let turn = 0;
  let counting = setImmediate(function count() {
    turn++;
    counting = setImmediate(count);
  });
  const given = await Promise.all(Array.from({ length: 5 }, () => turns.next().then(() => turn)));
  clearImmediate(counting);
  assert.equal(new Set(given).size, 5);
});
