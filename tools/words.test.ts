import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGivenUpWords } from './words.ts';

test('an identifier made of a word we have given up is named, with its line', () => {
  const text = 'const a = 1;\nclass NodeAuction {}\n';
  assert.deepEqual(findGivenUpWords([{ path: 'packages/a/src/a.ts', text }]), [
    "packages/a/src/a.ts:2: 'NodeAuction' uses 'auction'; say price search",
  ]);
});

test('plurals, private names and file names count', () => {
  const path = 'packages/a/src/rule-book/shelves.ts';
  assert.deepEqual(findGivenUpWords([{ path, text: 'class A { #lots = []; }' }]), [
    `${path}: the name uses 'shelf'; say node options`,
    `${path}: the name uses 'rulebook'; say topology rules`,
    `${path}:1: 'lots' uses 'lot'; say pod group`,
  ]);
});

test('a text counts if it has a word that nobody needs for anything else', () => {
  const text = "const a = 1;\n/*\n * a census\n */\nconst b = 'two auctions in a machine';\n";
  assert.deepEqual(findGivenUpWords([{ path: 'packages/a/src/a.ts', text }]), [
    "packages/a/src/a.ts:3: the text uses 'census'; say domain counts",
    "packages/a/src/a.ts:5: the text uses 'auction'; say price search",
  ]);
});

test('other words in texts, longer words and fields of others do not count', () => {
  const text = "// a shelf\n/* lots */ const slot = 'machine'; slot.machineID = `shelf`; const pilots = 1;\n";
  assert.deepEqual(findGivenUpWords([{ path: 'packages/a/src/a.ts', text }]), []);
});
