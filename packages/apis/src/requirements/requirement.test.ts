import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CORE_PROFILE } from '../names/provider-profile.ts';
import {
  admits,
  admitsAbsence,
  formatRequirement,
  intersect,
  operatorOf,
  overlaps,
  type Requirement,
  toRequirement,
  toRequirementSpecs,
} from './requirement.ts';
import { combineRequirements, toRequirements } from './requirements.ts';

const requirement = (operator: string, ...values: string[]) =>
  toRequirement({ key: 'k', operator, values }, CORE_PROFILE);
const format = (...parts: readonly Requirement[]) => formatRequirement(parts.reduce(intersect));

test('01/91 intersections follow set algebra, and values that are no integers lie outside any bound', () => {
  assert.equal(format(requirement('In', 'a', 'b'), requirement('NotIn', 'a')), 'k In [b]');
  assert.equal(format(requirement('Exists'), requirement('In', 'a')), 'k In [a]');
  assert.equal(format(requirement('Gte', '5'), requirement('Lte', '3')), 'k DoesNotExist');
  assert.equal(format(requirement('In', 'x'), requirement('Gte', '1')), 'k DoesNotExist');
  assert.equal(format(requirement('NotIn', 'x', '7', '1'), requirement('Gt', '1')), 'k NotIn [7] >=2');
  assert.equal(format(requirement('In', '1', '5', '9'), requirement('Gt', '1'), requirement('Lt', '9')), 'k In [5]');
});

test('01/92 of several minValues on one key the largest wins', () => {
  const requirements = toRequirements(
    [
      { key: 'k', operator: 'Exists', minValues: 2 },
      { key: 'k', operator: 'In', values: ['a'], minValues: 5 },
    ],
    CORE_PROFILE,
  );
  assert.equal(requirements.get('k')?.minValues, 5);
});

test('01/54 Gt 2 and Lt 9 become Gte 3 and Lte 8', () => {
  const bounds = intersect(requirement('Gt', '2'), requirement('Lt', '9'));
  assert.deepEqual(toRequirementSpecs(bounds), [
    { key: 'k', operator: 'Gte', values: ['3'] },
    { key: 'k', operator: 'Lte', values: ['8'] },
  ]);
});

test('values excluded within bounds are serialised beside the bounds, minValues on each entry', () => {
  const merged = intersect(requirement('NotIn', '5', 'x'), { ...requirement('Gte', '3'), minValues: 2 });
  assert.deepEqual(toRequirementSpecs(merged), [
    { key: 'k', operator: 'Gte', values: ['3'], minValues: 2 },
    { key: 'k', operator: 'NotIn', values: ['5'], minValues: 2 },
  ]);
});

test('bounds are exact up to int64 and nothing is greater than its largest', () => {
  const largest = '9223372036854775807';
  assert.equal(operatorOf(requirement('Gt', largest)), 'DoesNotExist');
  assert.equal(admits(requirement('Gt', '9223372036854775806'), largest), true);
  assert.equal(admits(requirement('Gt', '9007199254740993'), '9007199254740993'), false);
  assert.equal(admits(requirement('Lte', '99999999999999999999'), largest), true);
});

test('printing sorts values, shows five of them, then bounds and minValues', () => {
  assert.equal(format(requirement('In', 'g', 'f', 'e', 'd', 'c', 'b', 'a')), 'k In [a b c d e and 2 others]');
  assert.equal(format(requirement('Exists')), 'k Exists');
  assert.equal(
    format({ ...requirement('Gt', '1'), minValues: 3 }, requirement('Lte', '4')),
    'k Exists >=2 <=4 minValues 3',
  );
});

const spec = fc.oneof(
  fc.record({
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.array(fc.constantFrom('1', '2', '3', '4', 'a', 'b'), { maxLength: 4 }),
  }),
  fc.record({
    operator: fc.constantFrom('Gt', 'Gte', 'Lt', 'Lte'),
    values: fc.nat({ max: 5 }).map((n) => [String(n)]),
  }),
);
const arbitrary = spec.map(({ operator, values }) => requirement(operator, ...values));
const PROBES = ['', '0', '1', '2', '3', '4', '5', '6', 'a', 'b', 'c', '+3'];

test('an intersection admits exactly what both sides admit', () => {
  fc.assert(
    fc.property(arbitrary, arbitrary, (a, b) => {
      const both = intersect(a, b);
      for (const probe of PROBES) assert.equal(admits(both, probe), admits(a, probe) && admits(b, probe), probe);
      assert.deepEqual(formatRequirement(both), formatRequirement(intersect(b, a)));
      if (!overlaps(a, b))
        assert.equal(
          PROBES.some((probe) => admits(both, probe)),
          false,
        );
    }),
  );
});

test('what is serialised and read back is the same requirement', () => {
  fc.assert(
    fc.property(arbitrary, arbitrary, (a, b) => {
      const both = intersect(a, b);
      const [back] = combineRequirements(
        toRequirementSpecs(both).map((item) => toRequirement(item, CORE_PROFILE)),
      ).values();
      assert.equal(formatRequirement(back!), formatRequirement(both));
      assert.equal(admitsAbsence(back!), admitsAbsence(both));
    }),
  );
});
