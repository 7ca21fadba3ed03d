import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  combineRequirements,
  formatRequirements,
  intersect,
  overlaps,
  type RequirementSpec,
  toRequirement,
  toRequirements,
} from '@karpenter-ts/apis';
import fc from 'fast-check';
import { FAKE_PROFILE } from '../../testing/fake-types.ts';
import { type Mode, RequirementSets } from './requirement-set.ts';
import { admitsNothing } from './any-value.ts';
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
      const isMet = overlaps(x, y) && !admitsNothing(intersect(x, y)); // the plain model counts integers below 0
      assert.equal(common, isMet || absent);
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

const LABELS = [undefined, ...VALUES, '0', '4', '7', 'z', '9223372036854775807'];

/** Whether a Node with this value of a label, or without it, meets an expression: what Kubernetes says. */
function isMet({ operator, values = [] }: RequirementSpec, label: string | undefined): boolean {
  if (label === undefined) return operator === 'NotIn' || operator === 'DoesNotExist';
  const [number, bound] = [label, values[0] ?? ''].map((text) => (/^\d+$/.test(text) ? BigInt(text) : undefined));
  switch (operator) {
    case 'In':
      return values.includes(label);
    case 'NotIn':
      return !values.includes(label);
    case 'Gt':
      return number !== undefined && number > bound!;
    case 'Gte':
      return number !== undefined && number >= bound!;
    case 'Lt':
      return number !== undefined && number < bound!;
    case 'Lte':
      return number !== undefined && number <= bound!;
    default:
      return operator === 'Exists';
  }
}

test('numbered sets accept what some label of a node, or its absence, can meet, strictly and loosely', () => {
  const sets = new RequirementSets(new RequirementTable(), FAKE_PROFILE.wellKnownLabels);
  const canMeet = (
    mode: Mode,
    existing: readonly RequirementSpec[],
    incoming: readonly RequirementSpec[],
    key: string,
  ) => {
    const [given, asked] = [existing, incoming].map((specs) => specs.filter((spec) => spec.key === key));
    const isOpen = given!.length > 0 || (mode === 'loosely' && FAKE_PROFILE.wellKnownLabels.has(key));
    const labels = isOpen ? LABELS : [undefined];
    return labels.some((label) => [...given!, ...asked!].every((spec) => isMet(spec, label)));
  };
  fc.assert(
    fc.property(setSpecs, setSpecs, (a, b) => {
      const [existing, incoming] = [a, b].map((specs) => specs.map((spec) => toRequirement(spec, FAKE_PROFILE)));
      const [x, y] = [sets.from(existing!).set, sets.from(incoming!).set];
      const isPossible = KEYS.every((key) =>
        LABELS.some((label) => a.every((spec) => spec.key !== key || isMet(spec, label))),
      );
      // Above the largest integer there is nothing, which the model takes for "absent".
      fc.pre(![...a, ...b].some(({ operator, values }) => operator === 'Gt' && values?.[0] === '9223372036854775807'));
      fc.pre(isPossible); // as every node is
      for (const mode of ['strictly', 'loosely'] as const) {
        const keys = [...new Set(b.map(({ key }) => key))];
        assert.equal(
          sets.accepts(x, y, mode),
          keys.every((key) => canMeet(mode, a, b, key)),
        );
        if (mode === 'loosely') assert.equal(sets.findConflicts(x, y).length === 0, sets.accepts(x, y, mode));
      }
      const merged = combineRequirements([...existing!, ...incoming!]);
      assert.deepEqual(new Map(sets.toRequirements(sets.merge(x, y))), new Map(merged));
      assert.equal(sets.merge(x, y), sets.from([...existing!, ...incoming!]).set);
    }),
    { numRuns: 2000 },
  );
});

test('a requirement on the hostname stands apart from the set', () => {
  const sets = new RequirementSets(new RequirementTable(), FAKE_PROFILE.wellKnownLabels);
  const { set, hostname } = sets.from(
    toRequirements([{ key: 'kubernetes.io/hostname', operator: 'In', values: ['x'] }], FAKE_PROFILE).values(),
  );
  assert.equal(set, sets.empty);
  assert.deepEqual([...hostname!.values], ['x']);
});
