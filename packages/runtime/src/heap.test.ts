import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Heap } from './heap.ts';

test('a heap gives its items in ascending order, whatever was pushed and popped before', () => {
  const steps = fc.array(fc.oneof(fc.integer(), fc.constant('pop' as const)), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (script) => {
      const heap = new Heap<number>((a, b) => a < b);
      const model: number[] = [];
      for (const step of script) {
        if (step === 'pop') assert.equal(heap.pop(), model.sort((a, b) => a - b).shift());
        else {
          heap.push(step);
          model.push(step);
        }
        assert.equal(heap.size, model.length);
      }
      assert.equal(heap.peek(), model.length === 0 ? undefined : Math.min(...model));
    }),
  );
});
