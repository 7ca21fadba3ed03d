import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitSet } from '../interning/bit-set.ts';
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

  firstOf(candidates: BitSet): number {
    this.#nodes.sort((a, b) => a.pods - b.pods);
    return this.#nodes.find(({ id }) => candidates.has(id))?.id ?? -1;
  }
}

const step = fc.oneof(
  fc.constant({ kind: 'add' as const }),
  fc.record({ kind: fc.constant('promote' as const), node: fc.nat() }),
  fc.record({ kind: fc.constant('look' as const), candidates: fc.array(fc.nat({ max: 60 })) }),
);

test('the order is that of a stable sort before every attempt, whether candidates are many or few', () => {
  let sparse = 0;
  let dense = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const [kept, sorted] = [new FewestFirst(), new Sorted()];
      for (const one of steps) {
        if (one.kind === 'add') {
          sorted.firstOf(new BitSet()); // upstream sorts before it appends
          kept.add();
          sorted.add();
        } else if (one.kind === 'promote' && kept.size > 0) {
          sorted.firstOf(new BitSet());
          kept.promote(one.node % kept.size);
          sorted.promote(one.node % kept.size);
        } else if (one.kind === 'look') {
          const candidates = new BitSet();
          for (const id of one.candidates) if (id < kept.size) candidates.add(id);
          if (candidates.count() * 16 < kept.size) sparse++;
          else dense++;
          assert.equal(kept.firstOf(candidates), sorted.firstOf(candidates));
        }
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(sparse > 20 && dense > 20, 'both ways of looking were taken');
});
