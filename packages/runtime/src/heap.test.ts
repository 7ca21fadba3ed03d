import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Heap, type HeapItem, OUTSIDE } from './heap.ts';

interface Numbered extends HeapItem {
  readonly value: number;
}

type Step = { readonly push: number } | { readonly remove: number } | 'pop';

test('a heap gives its items in ascending order, whatever was pushed, popped and removed before', () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ push: fc.integer({ min: -50, max: 50 }) }),
    fc.record({ remove: fc.nat() }),
    fc.constant('pop' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (script) => {
      const heap = new Heap<Numbered>((a, b) => a.value < b.value);
      const model: Numbered[] = [];
      for (const next of script) {
        if (next === 'pop') {
          const least = model.length === 0 ? undefined : Math.min(...model.map(({ value }) => value));
          const popped = heap.pop();
          assert.equal(popped?.value, least);
          if (popped !== undefined) model.splice(model.indexOf(popped), 1);
        } else if ('push' in next) {
          const item: Numbered = { value: next.push, slot: OUTSIDE };
          heap.push(item);
          model.push(item);
        } else if (model.length > 0) {
          const [item] = model.splice(next.remove % model.length, 1);
          heap.remove(item!);
        }
        assert.equal(heap.size, model.length);
      }
      const rest = Array.from({ length: heap.size }, () => heap.pop()!.value);
      assert.deepEqual(
        rest,
        model.map(({ value }) => value).sort((a, b) => a - b),
      );
    }),
  );
});

test('removing what is in no heap does nothing', () => {
  const heap = new Heap<Numbered>((a, b) => a.value < b.value);
  const item: Numbered = { value: 1, slot: OUTSIDE };
  heap.push(item);
  heap.remove(item);
  heap.remove(item);
  assert.equal(heap.size, 0);
  assert.equal(heap.pop(), undefined);
});
