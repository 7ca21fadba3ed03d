import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameTemplate, templateHash } from './template-hash.ts';
import { buildTemplate } from './testing/builders.ts';

test('the order of fields does not change a hash', () => {
  const template = { spec: { containers: [{ name: 'main', image: 'a' }] }, metadata: { labels: { app: 'web' } } };
  assert.equal(templateHash(buildTemplate('a')), templateHash(template));
});

test('another template, or a collision, gives another hash', () => {
  const hashes = [
    templateHash(buildTemplate('a')),
    templateHash(buildTemplate('b')),
    templateHash(buildTemplate('a'), 1),
  ];
  assert.equal(new Set(hashes).size, 3);
});

test('a hash is part of a valid name and spells no words', () => {
  for (let i = 0; i < 100; i++)
    assert.match(templateHash(buildTemplate(String(i))), /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
});

test('the label that tells sets apart is no part of a template', () => {
  const { spec, metadata } = buildTemplate('a');
  const labelled = { spec, metadata: { labels: { ...metadata?.labels, 'pod-template-hash': 'x' } } };
  assert.ok(isSameTemplate(buildTemplate('a'), labelled));
  assert.ok(!isSameTemplate(buildTemplate('b'), labelled));
});
