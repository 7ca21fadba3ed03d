import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  combineRequirements,
  findIncompatibilities,
  formatRequirements,
  intersect,
  overlaps,
  type RequirementSpec,
  toRequirement,
  toRequirements,
} from '@karpenter-ts/apis';
import fc from 'fast-check';
import { FAKE_PROFILE } from '../testing/fake-types.ts';
import { type Mode, RequirementSets } from './requirement-set.ts';
import { RequirementTable } from './requirement-table.ts';

const VALUES = ['1', '2', '3', '5', 'a', 'b'];
const KEYS = ['integer', 'size', 'custom', 'other']; // two well-known, two not

const listing = fc.record({
  operator: fc.constantFrom('In', 'NotIn'),
  values: fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1 }),
});
const bounding = fc.record({
  operator: fc.constantFrom('Gt', 'Lt', 'Gte', 'Lte'),
  values: fc.constantFrom('0', '2', '4', '9223372036854775807').map((value) => [value]),
});
const bare = fc.record({ operator: fc.constantFrom('Exists', 'DoesNotExist'), values: fc.constant([]) });
const minValues = fc.option(fc.nat({ max: 3 }), { nil: undefined });
const specOn = (key: fc.Arbitrary<string>): fc.Arbitrary<RequirementSpec> =>
  fc.record({ key, rest: fc.oneof(listing, bounding, bare), minValues }).map(({ key: on, rest, minValues: least }) => ({
    key: on,
    ...rest,
    ...(least !== undefined && { minValues: least }),
  }));
const setSpecs = fc.array(specOn(fc.constantFrom(...KEYS)), { maxLength: 6 });

test('numbered requirements intersect and overlap as the plain model says', () => {
  const table = new RequirementTable();
  const spec = specOn(fc.constant('integer'));
  fc.assert(
    fc.property(spec, spec, (a, b) => {
      const [x, y] = [toRequirement(a, FAKE_PROFILE), toRequirement(b, FAKE_PROFILE)];
      const [i, j] = [table.intern(x), table.intern(y)];
      assert.deepEqual(table.get(table.intersect(i, j)), intersect(x, y));
      const common = table.areCompatible(i, j);
      const absent = table.admitsAbsence(i) && table.admitsAbsence(j);
      assert.equal(common, overlaps(x, y) || absent);
    }),
    { numRuns: 2000 },
  );
});

test('equal requirements have one number, different ones two', () => {
  const table = new RequirementTable();
  const spec = specOn(fc.constantFrom('integer', 'size'));
  fc.assert(
    fc.property(spec, spec, (a, b) => {
      const [x, y] = [toRequirement(a, FAKE_PROFILE), toRequirement(b, FAKE_PROFILE)];
      const isEqual = formatRequirements(new Map([['', x]])) === formatRequirements(new Map([['', y]]));
      const sameValues = [...x.values].sort().join() === [...y.values].sort().join();
      assert.equal(table.intern(x) === table.intern(y), isEqual && sameValues);
    }),
    { numRuns: 1000 },
  );
});

test('numbered sets accept and merge as the plain model says, strictly and loosely', () => {
  const sets = new RequirementSets(new RequirementTable(), FAKE_PROFILE.wellKnownLabels);
  const modes: readonly [Mode, ReadonlySet<string>][] = [
    ['strictly', new Set()],
    ['loosely', FAKE_PROFILE.wellKnownLabels],
  ];
  fc.assert(
    fc.property(setSpecs, setSpecs, (a, b) => {
      const [existing, incoming] = [toRequirements(a, FAKE_PROFILE), toRequirements(b, FAKE_PROFILE)];
      const [x, y] = [sets.from(existing).set, sets.from(incoming).set];
      for (const [mode, allowed] of modes) {
        assert.equal(sets.accepts(x, y, mode), findIncompatibilities(existing, incoming, allowed).length === 0);
      }
      const merged = combineRequirements([...existing.values(), ...incoming.values()]);
      assert.deepEqual(new Map(sets.toRequirements(sets.merge(x, y))), new Map(merged));
      assert.equal(sets.merge(x, y), sets.from(merged).set);
    }),
    { numRuns: 2000 },
  );
});

test('a requirement on the hostname stands apart from the set', () => {
  const sets = new RequirementSets(new RequirementTable(), FAKE_PROFILE.wellKnownLabels);
  const { set, hostname } = sets.from(
    toRequirements([{ key: 'kubernetes.io/hostname', operator: 'In', values: ['x'] }], FAKE_PROFILE),
  );
  assert.equal(set, sets.empty);
  assert.deepEqual([...hostname!.values], ['x']);
});
