import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { pages } from './pages.ts';

interface Page {
  readonly NextToken?: string;
}

/** Reads a listing whose pages name the next ones as told. Returns the tokens that were asked with. */
async function readAll(nextOf: (token: string) => string | undefined): Promise<readonly string[]> {
  const asked: string[] = [];
  const call = async ({ NextToken = '' }: Page): Promise<Page> => {
    asked.push(NextToken);
    if (asked.length > 100) throw new Error('asked without end');
    const next = nextOf(NextToken);
    return next === undefined ? {} : { NextToken: next };
  };
  for await (const _page of pages<Page, Page>(call, {}, NEVER));
  return asked;
}

test('pages are read until one names no next one, or an empty one', async () => {
  const next: Readonly<Record<string, string | undefined>> = { '': 'a', a: 'b', c: '' };
  assert.deepEqual(await readAll((token) => next[token]), ['', 'a', 'b']);
  assert.deepEqual(await readAll((token) => (token === '' ? 'c' : next[token])), ['', 'c']);
});

test('a listing that goes in a circle ends with an error, however long the circle is', async () => {
  for (const circle of [1, 2, 5]) {
    const reading = readAll((token) => String((Number(token) + 1) % circle));
    await assert.rejects(reading, { message: /^the listing does not end/ });
  }
});
