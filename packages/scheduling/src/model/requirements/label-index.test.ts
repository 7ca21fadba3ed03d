import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CORE_PROFILE, toRequirement } from '@karpenter-ts/apis';
import fc from 'fast-check';
import { BitSet } from '../interning/bit-set.ts';
import { LabelIndex } from './label-index.ts';
import { RequirementSets } from './requirement-set.ts';
import { RequirementTable } from './requirement-table.ts';

const KEYS = ['team', 'num', 'kubernetes.io/arch'];
const value = fc.constantFrom('a', 'b', '3', '5', '-7', '9007199254740993');
const requirement = fc.oneof(
  fc.record({ key: fc.constantFrom(...KEYS), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  fc.record({ key: fc.constantFrom(...KEYS), operator: fc.constantFrom('In', 'NotIn'), values: fc.array(value) }),
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('Gt', 'Lt', 'Gte', 'Lte'),
    values: fc.tuple(fc.constantFrom('-8', '0', '4', '5', '9007199254740992', '9007199254740993')),
  }),
);
const written = fc.array(requirement, { maxLength: 4 });

function tables() {
  const sets = new RequirementSets(new RequirementTable(), CORE_PROFILE.wellKnownLabels);
  const from = (specs: readonly { key: string; operator: string; values?: string[] }[]) =>
    sets.from(specs.map((spec) => toRequirement(spec, CORE_PROFILE))).set;
  return { sets, from };
}

for (const mode of ['strictly', 'loosely'] as const) {
  test(`of items that meet a need ${mode}, none is dropped, whatever they were before`, () => {
    let dropped = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(written, written)), written, written, (items, first, need) => {
        const { sets, from } = tables();
        const index = new LabelIndex(sets, mode);
        for (const [i, [before]] of items.entries()) index.set(i, from(before));
        index.restrict(BitSet.upTo(items.length), from(first)); // so that some keys are indexed before items change
        for (const [i, [, now]] of items.entries()) index.set(i, from(now));
        const left = BitSet.upTo(items.length);
        index.restrict(left, from(need));
        for (const [i, [, now]] of items.entries()) {
          if (sets.accepts(from(now), from(need), mode)) assert.ok(left.has(i), JSON.stringify([now, need]));
        }
        dropped += items.length - left.count();
      }),
      { numRuns: 1000 },
    );
    assert.ok(dropped > 500, `${dropped} dropped`);
  });
}

test('where every item has a value or a range of its own, one is left', () => {
  const { sets, from } = tables();
  const index = new LabelIndex(sets, 'strictly');
  const isTeam = (i: number) => ({ key: 'team', operator: 'In', values: [`team-${i}`] });
  const range = (i: number) => [
    { key: 'num', operator: 'Gte', values: [String(10 * i)] },
    { key: 'num', operator: 'Lt', values: [String(10 * i + 10)] },
  ];
  for (let i = 0; i < 500; i++) index.set(i, from([isTeam(i), ...range(i)]));
  for (const need of [[isTeam(77)], range(77), [{ key: 'num', operator: 'In', values: ['775'] }, isTeam(77)]]) {
    const left = BitSet.upTo(500);
    index.restrict(left, from(need));
    assert.deepEqual([...left], [77]);
  }
});
