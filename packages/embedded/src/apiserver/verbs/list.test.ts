import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFieldSelector, parseLabelSelector } from '@karpenter-ts/kubernetes';
import { Store } from '../storage/store.ts';
import { listPage } from './list.ts';
import type { ListOptions } from './options.ts';

const OPTIONS: ListOptions = {
  labels: parseLabelSelector(''),
  fields: parseFieldSelector(''),
  resourceVersion: '',
  match: '',
  limit: 0,
  continue: '',
  watch: false,
  bookmarks: false,
  sendInitialEvents: false,
  timeoutSeconds: undefined,
};
const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } };
const ALL = { prefix: '', isWhole: true, matches: () => true };

test('a token whose version is forgotten is refused with one that goes on from what there is', () => {
  const store = new Store();
  const collection = store.collection('things');
  const put = (key: string, at: number) =>
    store.put(collection, () => ({ key, object, labels: undefined, fields: undefined }), at);
  for (const key of ['a', 'b', 'c']) put(key, 0);
  const first = listPage(store, collection, ALL, { ...OPTIONS, limit: 1 });
  const token = first.metadata['continue'] as string;
  put('b', 0);
  for (let i = 0; i < 200; i++) put('b', 100_000); // more than are kept whatever their age, and later than is remembered

  assert.throws(
    () => listPage(store, collection, ALL, { ...OPTIONS, continue: token }),
    (error: { code: number; reason: string; metadata: { continue: string } }) => {
      assert.deepEqual([error.code, error.reason], [410, 'Expired']);
      const rest = listPage(store, collection, ALL, { ...OPTIONS, continue: error.metadata.continue });
      assert.deepEqual(
        rest.entries.map(({ key }) => key),
        ['b', 'c'],
      );
      return true;
    },
  );
  assert.throws(() => listPage(store, collection, ALL, { ...OPTIONS, match: 'Exact', resourceVersion: '2' }), {
    code: 410,
  });
});
