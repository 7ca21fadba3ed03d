import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequirementTable } from '../requirements/requirement-table.ts';
import { DomainTables } from './domains.ts';
import { KeyChoice } from './key-choice.ts';
import { LabelGroup } from './label-group.ts';
import type { TopologyRule } from './rule.ts';

function domainsOf(...names: readonly string[]) {
  const domains = new DomainTables(new RequirementTable()).of('rack');
  for (const name of names) domains.idOf(name);
  return domains;
}

test('choices that leave the same domains have one signature, all others have their own', () => {
  const domains = domainsOf('a', 'b', 'c');
  const signature = (closed: readonly number[], mustPick = false) => {
    const choice = new KeyChoice(domains);
    for (const domain of closed) choice.mask[domain] = 0;
    choice.mustPick = mustPick;
    return choice.signature;
  };
  assert.equal(signature([1]), signature([1]));
  const all = [signature([]), signature([0]), signature([1]), signature([2]), signature([0, 1]), signature([], true)];
  assert.equal(new Set(all).size, 6);
  const many = Array.from({ length: 33 }, (_, i) => `rack-${i}`);
  assert.ok(new KeyChoice(domainsOf(...many.slice(1))).signature);
  assert.equal(new KeyChoice(domainsOf(...many)).signature, undefined);
});

test('open domains are tried from the least loaded on, ties by name, and whatever the node asks for', () => {
  const domains = domainsOf('c', 'b', 'a', 'd');
  const choice = new KeyChoice(domains);
  choice.addLoad(domains.idOf('a'), 2);
  choice.mask[domains.idOf('d')] = 0;
  const names = (ids: Iterable<number>) => Array.from(ids, (id) => domains.nameOf(id));
  assert.deepEqual(names(choice.inOrder(choice.open())), ['b', 'c', 'a']);
  assert.deepEqual(names(choice.inOrder(choice.openTo(domains.requirementOfAll([0, 2, 3])))), ['c', 'a']);
  assert.deepEqual(choice.openTo(domains.requirement(3)), []);
});

test('a domain that comes up later is counted from then on', () => {
  const domains = domainsOf('a');
  const group = new LabelGroup({ kind: 'spread', maxSkew: 1 } as TopologyRule, domains, [0], new Int32Array());
  const [b, c] = [domains.idOf('b'), domains.idOf('c')];
  for (const domain of [c, 0, c]) group.record(domain);
  assert.deepEqual(
    [...group.counts()],
    [
      ['a', 1],
      ['c', 2],
    ],
  );
  group.record(b);
  assert.equal(group.counts().get('b'), 1);
});
