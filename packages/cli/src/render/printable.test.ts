import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printableJson, printableLine } from './printable.ts';

const HOSTILE =
  'a\u001b[2J\r\nb.yaml:1: ok\u009b31m\u2028\u202eevil\u0007 ##vso[task.complete] ##[error]x ##TeamCity[x';

test('a line stays one line, without a character that steers a terminal', () => {
  assert.equal(
    printableLine(HOSTILE),
    'a\\u001b[2J\\u000d\\nb.yaml:1: ok\\u009b31m\\u2028\\u202eevil\\u0007 \\u0023#vso[task.complete] \\u0023#[error]x \\u0023#TeamCity[x',
  );
  for (const plain of ['größe 日本 "x" \\ ## heading', 'a.yaml:1:1: error: a::b']) {
    assert.equal(printableLine(plain), plain);
  }
});

test('no line begins as an instruction to CI, whatever it begins with', () => {
  assert.equal(printableLine('::error::x.yaml:1:1: error'), '\\u003a:error::x.yaml:1:1: error');
  assert.equal(printableLine('  ::stop-commands::x'), '  \\u003a:stop-commands::x');
});

test('JSON means the same afterwards, and holds no such character either', () => {
  const json = JSON.stringify({ name: HOSTILE }, undefined, 2);
  const printed = printableJson(json);
  assert.deepEqual(JSON.parse(printed), { name: HOSTILE });
  assert.doesNotMatch(printed, /[\u007f-\u009f\u2028\u202e]|##[a-z]*\[/i);
});
