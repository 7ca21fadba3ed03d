import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Job } from '@karpenter-ts/kubernetes';
import { buildTemplate } from '../testing/builders.ts';
import { formatIndexes, parseIndexes, pendingIndexes, templateForIndex } from './indexes.ts';

function indexedJob(completions: number, completedIndexes = ''): Job {
  return {
    metadata: { name: 'work', namespace: 'default' },
    spec: { completions, completionMode: 'Indexed', selector: {}, template: buildTemplate('a') },
    status: { completedIndexes },
  };
}

test('three or more in a row are a range', () => {
  assert.equal(formatIndexes(new Set([9, 0, 1, 2, 5, 7, 8])), '0-2,5,7-9');
  assert.equal(formatIndexes(new Set([0, 1, 4])), '0,1,4');
  assert.equal(formatIndexes(new Set()), '');
});

test('what was written is read again', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 200 })), (indexes) => {
      const text = formatIndexes(new Set(indexes));
      assert.deepEqual(new Set(parseIndexes(indexedJob(201, text))), new Set(indexes));
    }),
  );
});

test('indexes beyond the number of completions no longer count', () => {
  assert.deepEqual([...parseIndexes(indexedJob(3, '0,2-9'))], [0, 2]);
});

test('the lowest indexes that nobody has are next', () => {
  assert.deepEqual(pendingIndexes(indexedJob(6), new Set([0, 2]), 3), [1, 3, 4]);
  assert.deepEqual(pendingIndexes(indexedJob(3), new Set([0, 2]), 3), [1]);
});

test('a pod knows its index in every way a program may ask for it', () => {
  const template = templateForIndex(indexedJob(3), buildTemplate('a'), 2);
  const key = 'batch.kubernetes.io/job-completion-index';
  assert.equal(template.metadata?.labels?.[key], '2');
  assert.equal(template.metadata?.annotations?.[key], '2');
  assert.equal(template.spec.hostname, 'work-2');
  assert.equal(template.spec.containers?.[0]?.env?.[0]?.name, 'JOB_COMPLETION_INDEX');
  assert.equal(template.generateName, 'work-2-');
});

test('a long name is cut so that the index stays in it', () => {
  const job = indexedJob(3);
  const long = { ...job, metadata: { ...job.metadata, name: 'x'.repeat(80) } };
  const { generateName } = templateForIndex(long, buildTemplate('a'), 2);
  assert.equal(generateName.length, 58);
  assert.ok(generateName.endsWith('x-2-'));
});
