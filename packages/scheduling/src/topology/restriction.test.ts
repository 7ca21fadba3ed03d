import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type RequirementSet, RequirementSets } from '../model/requirements/requirement-set.ts';
import { RequirementTable } from '../model/requirements/requirement-table.ts';
import { type Domains, DomainTables } from '../model/requirements/domains.ts';
import { KeyChoice } from './key-choice.ts';
import { type NodeSupply, Restriction } from './restriction.ts';

/** By key: the domains a node option can be in. */
type Options = readonly (readonly number[])[];

/** A pod that must pick a domain of each key, and the options for its node. */
class Picking {
  readonly keys: readonly Domains[];
  looks = 0;
  readonly #sets: RequirementSets;
  readonly #nodeOptions: readonly Options[];

  constructor(sizes: readonly number[], nodeOptions: readonly Options[]) {
    const table = new RequirementTable();
    const tables = new DomainTables(table);
    this.keys = sizes.map((size, key) => {
      const domains = tables.of(`key-${key}`);
      for (let domain = 0; domain < size; domain++) domains.idOf(`domain-${String(domain).padStart(3, '0')}`);
      return domains;
    });
    this.#sets = new RequirementSets(table, new Set(this.keys.map(({ key }) => key)));
    this.#nodeOptions = nodeOptions;
  }

  /** Every combination of domains that is tried. */
  tried(): readonly (readonly number[])[] {
    const choices = this.keys.map((domains) => {
      const choice = new KeyChoice(domains);
      choice.pickFor(0);
      return choice;
    });
    const supply: NodeSupply = {
      dependsOn: () => true,
      holds: (set) => {
        this.looks++;
        return this.#holds(set);
      },
      prices: ({ size }) => Float64Array.from({ length: size }, (_, domain) => domain),
    };
    const narrowed = new Restriction(choices, [], this.#sets).narrow(this.#sets.empty, 'loosely', supply) ?? [];
    return Array.from(narrowed, (set) => this.keys.map((domains) => this.#domainsOf(set, domains)[0]!));
  }

  #holds(set: RequirementSet): boolean {
    return this.#nodeOptions.some((nodeOption) =>
      nodeOption.every(
        (possible, key) => !new Set(possible).isDisjointFrom(new Set(this.#domainsOf(set, this.keys[key]!))),
      ),
    );
  }

  #domainsOf(set: RequirementSet, domains: Domains): readonly number[] {
    const requirement = set.find(domains.keyId);
    return requirement < 0 ? Array.from({ length: domains.size }, (_, i) => i) : domains.listed(requirement);
  }
}

function combinations(sizes: readonly number[]): readonly (readonly number[])[] {
  return sizes.reduce<readonly (readonly number[])[]>(
    (some, size) => some.flatMap((one) => Array.from({ length: size }, (_, domain) => [...one, domain])),
    [[]],
  );
}

test('the combinations tried are the first of all, then those some node option can be in, in their order', () => {
  const sizes = [3, 2, 3];
  const nodeOption = fc.tuple(...sizes.map((size) => fc.uniqueArray(fc.nat({ max: size - 1 }), { minLength: 1 })));
  fc.assert(
    fc.property(fc.array(nodeOption, { maxLength: 5 }), (nodeOptions) => {
      const [first, ...others] = combinations(sizes);
      const possible = others.filter((one) =>
        nodeOptions.some((possible) => possible.every((domains, key) => domains.includes(one[key]!))),
      );
      assert.deepEqual(new Picking(sizes, nodeOptions).tried(), [first, ...possible]);
    }),
  );
});

test('of three keys with a hundred domains each, no more are looked at than there are, whichever node options there are', () => {
  const nowhere = new Picking([100, 100, 100], []);
  assert.equal(nowhere.tried().length, 1);
  assert.equal(nowhere.looks, 1);
  // In the last domain of each key; and options that have any two of the keys right, but never all three.
  const anywhere = Array.from({ length: 100 }, (_, domain) => domain);
  const nodeOptions = [
    [anywhere, anywhere, []],
    [anywhere, [], anywhere],
    [[], anywhere, anywhere],
    [[99], [99], [99]],
  ];
  const somewhere = new Picking([100, 100, 100], nodeOptions);
  assert.deepEqual(somewhere.tried(), [
    [0, 0, 0],
    [99, 99, 99],
  ]);
  assert.ok(somewhere.looks <= 301, `${somewhere.looks} looks`);
});
