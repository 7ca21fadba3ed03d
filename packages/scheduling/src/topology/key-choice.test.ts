import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from '../model/interning/hash.ts';
import { RequirementTable } from '../model/requirements/requirement-table.ts';
import { type Domains, DomainTables } from '../model/requirements/domains.ts';
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
    if (mustPick) choice.pickFor(1);
    return choice.signature;
  };
  assert.equal(signature([1]), signature([1]));
  const all = [signature([]), signature([0]), signature([1]), signature([2]), signature([0, 1]), signature([], true)];
  assert.equal(new Set(all).size, 6);
  const many = Array.from({ length: 33 }, (_, i) => `rack-${i}`);
  assert.ok(new KeyChoice(domainsOf(...many.slice(1))).signature);
  assert.equal(new KeyChoice(domainsOf(...many)).signature, undefined);
});

const names = (domains: Domains, ids: Iterable<number>) => Array.from(ids, (id) => domains.nameOf(id));

test('open domains are tried from the least loaded on, of these from the cheapest on, whatever the node asks for', () => {
  const domains = domainsOf('c', 'b', 'a', 'd');
  const choice = new KeyChoice(domains);
  choice.addLoad(domains.idOf('a'), 2);
  choice.mask[domains.idOf('d')] = 0;
  const ordered = (open: readonly number[], ...prices: readonly number[]) =>
    names(
      domains,
      choice.inOrder(open, () => Float64Array.of(...prices)),
    );
  assert.deepEqual(ordered(choice.open(), 2, 3, 1, 0), ['c', 'b', 'a']);
  assert.deepEqual(ordered(choice.open(), 3, 2, 1, 0), ['b', 'c', 'a']);
  assert.deepEqual(ordered(choice.open(), Number.POSITIVE_INFINITY, 2, 1, 0), ['b', 'c', 'a']);
  assert.deepEqual(ordered(choice.openTo(domains.requirementOfAll([0, 2, 3])), 3, 2, 1, 0), ['c', 'a']);
  assert.deepEqual(choice.openTo(domains.requirement(3)), []);
});

test('domains nothing else tells apart come first equally often over many rules, and always the same for one', () => {
  const zones = ['a', 'b', 'c'];
  const orderFor = (rules: readonly number[], known: readonly string[]) => {
    const domains = domainsOf(...known);
    const choice = new KeyChoice(domains);
    for (const rule of rules) choice.pickFor(hashOf(`rule ${rule}`));
    return names(
      domains,
      choice.inOrder(choice.open(), () => undefined),
    );
  };
  const first = Array.from({ length: 300 }, (_, rule) => orderFor([rule], zones)[0]!);
  for (const zone of zones) assert.ok(first.filter((one) => one === zone).length > 75, `${zone} of ${first.join()}`);
  assert.deepEqual(orderFor([7, 8], zones), orderFor([8, 7], zones.toReversed()));
});

test('a domain that comes up later is counted from then on', () => {
  const domains = domainsOf('a');
  const group = new LabelGroup(
    { kind: 'spread', maxSkew: 1, text: 'one' } as TopologyRule,
    domains,
    [0],
    new Int32Array(),
  );
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
