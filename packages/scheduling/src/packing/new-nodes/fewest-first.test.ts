import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitSet } from '../../model/interning/bit-set.ts';
import { FewestFirst } from './fewest-first.ts';

/** What is kept up to date, done the obvious way: a stable sort before each look. */
class Sorted {
  readonly #nodes: { id: number; pods: number }[] = [];

  add(): void {
    this.#nodes.push({ id: this.#nodes.length, pods: 1 });
  }

  promote(id: number): void {
    this.#nodes.find((node) => node.id === id)!.pods++;
  }

  sort(): void {
    this.#nodes.sort((a, b) => a.pods - b.pods);
  }

  all(candidates: BitSet): readonly number[] {
    this.sort();
    return this.#nodes.map(({ id }) => id).filter((id) => candidates.has(id));
  }
}

const step = fc.oneof(
  fc.constant({ kind: 'add' as const }),
  fc.record({ kind: fc.constant('promote' as const), node: fc.nat() }),
  fc.record({ kind: fc.constant('look' as const), candidates: fc.array(fc.nat({ max: 60 })) }),
);

test('the order is that of a stable sort before every attempt, whether candidates are many or few', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const [kept, sorted] = [new FewestFirst(), new Sorted()];
      for (const one of steps) {
        if (one.kind === 'add') {
          sorted.sort(); // upstream sorts before it appends
          kept.add();
          sorted.add();
        } else if (one.kind === 'promote' && kept.size > 0) {
          sorted.sort();
          kept.promote(one.node % kept.size);
          sorted.promote(one.node % kept.size);
        } else if (one.kind === 'look') {
          const candidates = new BitSet();
          for (const id of one.candidates) if (id < kept.size) candidates.add(id);
          for (const areFew of [true, false]) {
            assert.deepEqual(inOrder(kept, candidates, areFew), sorted.all(candidates));
          }
        }
      }
    }),
    { numRuns: 300 },
  );
});

function inOrder(kept: FewestFirst, candidates: BitSet, areFew: boolean): readonly number[] {
  const found: number[] = [];
  for (let id = kept.firstOf(candidates, areFew); id >= 0; id = kept.firstOf(candidates, areFew, id)) found.push(id);
  return found;
}
