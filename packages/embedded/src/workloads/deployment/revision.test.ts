import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDeployment, buildSet } from '../testing/builders.ts';
import { nextRevision, REVISION, revisionAnnotations, sortRevisions } from './revision.ts';

const HISTORY = 'deployment.kubernetes.io/revision-history';
const deployment = buildDeployment(1, { maxSurge: 1, maxUnavailable: 0 });

test('the set with the present template is the current one, and of two the older', () => {
  const [younger, elder, other] = [
    buildSet('b', 1, { image: 'new' }),
    buildSet('a', 1, { image: 'new' }),
    buildSet('c', 1),
  ];
  const { current, old } = sortRevisions(deployment, [other, younger, elder]);
  assert.equal(current, elder);
  assert.deepEqual(old, [younger, other]);
});

test('a revision is one above all others', () => {
  const old = ['2', '7', 'nonsense'].map((revision, i) =>
    buildSet(`s${i}`, 0, { annotations: { [REVISION]: revision } }),
  );
  assert.equal(nextRevision(old), 8);
  assert.equal(nextRevision([]), 1);
});

test('a Deployment passes its annotations on, but not those that are its own business', () => {
  const annotations = { team: 'a', [REVISION]: '9', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  const annotated = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  assert.deepEqual(revisionAnnotations(annotated, undefined, 1), { team: 'a', [REVISION]: '1' });
});

test('a set that becomes current again remembers the revisions it had', () => {
  const first = revisionAnnotations(deployment, buildSet('a', 0, { annotations: { [REVISION]: '1' } }), 3);
  assert.deepEqual(first, { [REVISION]: '3', [HISTORY]: '1' });
  const again = revisionAnnotations(deployment, buildSet('a', 0, { annotations: first }), 5);
  assert.deepEqual(again, { [REVISION]: '5', [HISTORY]: '1,3' });
});

test('a revision never goes down', () => {
  const set = buildSet('a', 1, { annotations: { [REVISION]: '5' } });
  assert.deepEqual(revisionAnnotations(deployment, set, 4), { [REVISION]: '5' });
});

test('the memory of revisions is cut to its length, the oldest first', () => {
  const history = Array.from({ length: 500 }, (_, i) => String(1000 + i)).join(',');
  const set = buildSet('a', 0, { annotations: { [REVISION]: '1500', [HISTORY]: history } });
  const kept = revisionAnnotations(deployment, set, 1600)[HISTORY] ?? '';
  assert.ok(kept.length <= 2000 && kept.length > 1990);
  assert.ok(kept.endsWith(',1500'));
});
