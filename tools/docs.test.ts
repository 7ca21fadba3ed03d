import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const PAGES = globSync(['*.md', 'docs/*.md', 'packages/*/README.md'], { cwd: ROOT });
const SOURCES = globSync('{packages,e2e,worlds,bench,tools,samples,docs}/**/*.{ts,js,go,json,yaml,tsv}', {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
});

function matchesIn(page: string, pattern: RegExp): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/```[\s\S]*?```/g, '');
  return [...text.matchAll(pattern)].map((match) => match[1]!);
}

test('every link in the docs leads to a file', () => {
  for (const page of PAGES) {
    for (const link of matchesIn(page, /\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^\w+:/.test(link)) continue;
      assert.ok(existsSync(join(ROOT, dirname(page), link)), `${page} links to ${link}`);
    }
  }
});

test('every source file that the docs name exists', () => {
  for (const page of PAGES.filter((page) => page !== 'CHANGELOG.md')) {
    for (const path of matchesIn(page, /`([\w./-]*\w\.(?:ts|tsv|js))`/g)) {
      const found = SOURCES.some((source) => source === path || source.endsWith(`/${path.replace(/^\.\//, '')}`));
      assert.ok(found, `${page} names ${path}`);
    }
  }
});

test('every folder of packages that the docs name exists', () => {
  for (const page of PAGES.filter((page) => page !== 'CHANGELOG.md')) {
    for (const path of matchesIn(page, /`(packages\/[\w/-]+)`/g)) {
      assert.ok(existsSync(join(ROOT, path)), `${page} names ${path}`);
    }
  }
});
