import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAmiAlias, resolveAmiFamily } from './ami-alias.ts';

const withAlias = (alias: string) => ({ amiSelectorTerms: [{ alias }] });

test('an alias names a family in any of its releases', () => {
  assert.deepEqual(findAmiAlias(withAlias('al2023@latest')), { family: 'AL2023', version: 'latest' });
  assert.deepEqual(findAmiAlias(withAlias('bottlerocket@1.10.0')), { family: 'Bottlerocket', version: '1.10.0' });
  assert.equal(findAmiAlias({ amiSelectorTerms: [{}] }), undefined);
});

test('01/70 an alias with a second @ is survived', () => {
  assert.deepEqual(findAmiAlias(withAlias('al2@v1@x')), { family: 'AL2', version: 'v1@x' });
  assert.equal(findAmiAlias(withAlias('ubuntu@latest')), undefined);
  assert.equal(findAmiAlias(withAlias('al2023')), undefined);
});

test('the family is the one written, else that of the alias, else Custom', () => {
  assert.equal(resolveAmiFamily({ ...withAlias('al2@latest'), amiFamily: 'Custom' }), 'Custom');
  assert.equal(resolveAmiFamily(withAlias('windows2022@latest')), 'Windows2022');
  assert.equal(resolveAmiFamily({}), 'Custom');
});
