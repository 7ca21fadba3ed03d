import assert from 'node:assert/strict';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { type Answer, apiCase, namesOf, type RawApi } from './raw-api.ts';

const HOLD = 'example.com/hold';

/** Takes the finalizers off, so that the namespace can go. */
function release(api: RawApi, plural: string, name: string): void {
  api.context.defer(async () => {
    await api.patch(api.path(plural, name), { metadata: { finalizers: null } });
  });
}

/** A pod that somebody runs, as far as the server can tell. */
async function boundPod(api: RawApi, name: string, spec: JsonObject = {}): Promise<Answer> {
  const pod = await api.pod(name, { spec: { nodeName: api.context.unique('nowhere'), ...spec } });
  api.context.defer(() => api.delete(api.path('pods', name), { gracePeriodSeconds: 0 }));
  return pod;
}

/** Deleting objects. */
export const deleteCases = [
  apiCase('most kinds answer a deletion with what is gone', async (api) => {
    const created = await api.configMap('a');
    const answer = (await api.delete(api.path('configmaps', 'a'))).done();
    const details = { name: 'a', kind: 'configmaps', uid: created.at('metadata.uid') };
    assert.deepEqual([answer.at('kind'), answer.at('status'), answer.at('details')], ['Status', 'Success', details]);
    (await api.get(api.path('configmaps', 'a'))).refused(404, 'NotFound', 'configmaps "a" not found');
  }),

  apiCase('some kinds answer with the object itself', async (api) => {
    (await api.post(api.path('serviceaccounts'), { metadata: { name: 'a' } })).done(201);
    const answer = (await api.delete(api.path('serviceaccounts', 'a'))).done();
    assert.deepEqual([answer.at('kind'), answer.at('metadata.name')], ['ServiceAccount', 'a']);
  }),

  apiCase('what is not there cannot be deleted', async (api) => {
    (await api.delete(api.path('configmaps', 'a'))).refused(404, 'NotFound', 'configmaps "a" not found');
  }),

  apiCase('an object with finalizers stays, marked, until the last one is taken', async (api) => {
    await api.configMap('a', { finalizers: [HOLD, 'example.com/other'] });
    const marked = (await api.delete(api.path('configmaps', 'a'))).done();
    assert.match(marked.text('metadata.deletionTimestamp'), /Z$/);
    assert.equal(marked.at('metadata.deletionGracePeriodSeconds'), 0);
    const path = api.path('configmaps', 'a');
    assert.deepEqual((await api.patch(path, { metadata: { finalizers: [HOLD] } })).done().at('metadata.finalizers'), [
      HOLD,
    ]);
    (await api.patch(path, { metadata: { finalizers: [] } })).done();
    (await api.get(path)).refused(404, 'NotFound', 'configmaps "a" not found');
  }),

  apiCase('a marked object gets no new finalizers', async (api) => {
    await api.configMap('a', { finalizers: [HOLD] });
    release(api, 'configmaps', 'a');
    (await api.delete(api.path('configmaps', 'a'))).done();
    const answer = await api.patch(api.path('configmaps', 'a'), {
      metadata: { finalizers: [HOLD, 'example.com/late'] },
    });
    answer.faults(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/late"}',
    );
  }),

  apiCase('a marked object may change otherwise, and cannot be unmarked', async (api) => {
    await api.configMap('a', { finalizers: [HOLD] });
    release(api, 'configmaps', 'a');
    const marked = (await api.delete(api.path('configmaps', 'a'))).done();
    const next = (
      await api.patch(api.path('configmaps', 'a'), { metadata: { deletionTimestamp: null }, data: { x: 'y' } })
    ).done();
    assert.equal(next.at('metadata.deletionTimestamp'), marked.at('metadata.deletionTimestamp'));
    assert.deepEqual(next.at('data'), { x: 'y' });
  }),

  apiCase('a second deletion of a marked object changes nothing', async (api) => {
    await api.configMap('a', { finalizers: [HOLD] });
    release(api, 'configmaps', 'a');
    const first = (await api.delete(api.path('configmaps', 'a'))).done();
    const second = (await api.delete(api.path('configmaps', 'a'))).done();
    assert.equal(second.at('metadata.resourceVersion'), first.at('metadata.resourceVersion'));
  }),

  apiCase('a deletion may insist on the object it means', async (api) => {
    const created = await api.configMap('a');
    const path = api.path('configmaps', 'a');
    const uid = created.text('metadata.uid');
    (await api.delete(path, { preconditions: { uid: 'another' } })).refused(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (another) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
    (await api.delete(path, { preconditions: { resourceVersion: '1' } })).refused(
      409,
      'Conflict',
      /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record/,
    );
    (await api.delete(path, { preconditions: { uid } })).done();
  }),

  apiCase('a dry run of a deletion deletes nothing', async (api) => {
    await api.configMap('a');
    assert.equal((await api.delete(`${api.path('configmaps', 'a')}?dryRun=All`)).done().at('status'), 'Success');
    (await api.get(api.path('configmaps', 'a'))).done();
  }),

  apiCase('options of a deletion that make no sense are refused', async (api) => {
    await api.configMap('a');
    const path = api.path('configmaps', 'a');
    (await api.delete(path, { propagationPolicy: 'Odd' })).faults(
      'propagationPolicy: Unsupported value: "Odd": supported values: "Foreground", "Background", "Orphan", "nil"',
    );
    (await api.delete(path, { gracePeriodSeconds: 'x' })).refused(
      400,
      'BadRequest',
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    );
    (await api.delete(path, { orphanDependents: true, propagationPolicy: 'Orphan' })).faults(
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    );
    (await api.delete(`${path}?gracePeriodSeconds=x`)).refused(
      400,
      'BadRequest',
      'strconv.ParseInt: parsing "x": invalid syntax',
    );
  }),

  apiCase('a foreground deletion waits for dependents by a finalizer', async (api) => {
    await api.configMap('a', { finalizers: [HOLD] });
    release(api, 'configmaps', 'a');
    const marked = (await api.delete(api.path('configmaps', 'a'), { propagationPolicy: 'Foreground' })).done();
    assert.deepEqual(marked.at('metadata.finalizers'), [HOLD, 'foregroundDeletion']);
  }),

  apiCase('a deletion that orphans dependents waits for that by a finalizer', async (api) => {
    await api.configMap('a', { finalizers: [HOLD] });
    release(api, 'configmaps', 'a');
    const marked = (await api.delete(api.path('configmaps', 'a'), { propagationPolicy: 'Orphan' })).done();
    assert.deepEqual(marked.at('metadata.finalizers'), [HOLD, 'orphan']);
  }),

  apiCase('a deletion in the background takes those finalizers off again', async (api) => {
    await api.configMap('a', { finalizers: [HOLD, 'foregroundDeletion'] });
    release(api, 'configmaps', 'a');
    const marked = (await api.delete(api.path('configmaps', 'a'), { propagationPolicy: 'Background' })).done();
    assert.deepEqual(marked.at('metadata.finalizers'), [HOLD]);
  }),

  apiCase('the pods of a Job are orphaned unless told otherwise', async (api) => {
    const template = {
      spec: {
        schedulerName: 'nobody',
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'example.com/app:1' }],
      },
    };
    const job = { metadata: { name: 'a', finalizers: [HOLD] }, spec: { suspend: true, template } };
    (await api.post(api.path('batch/jobs'), job)).done(201);
    release(api, 'batch/jobs', 'a');
    const marked = (await api.delete(api.path('batch/jobs', 'a'))).done();
    assert.deepEqual(marked.at('metadata.finalizers'), [HOLD, 'orphan']);
  }),

  apiCase('a pod that nobody runs goes at once', async (api) => {
    await api.pod('a');
    const answer = (await api.delete(api.path('pods', 'a'))).done();
    assert.deepEqual([answer.at('kind'), answer.at('metadata.deletionGracePeriodSeconds')], ['Pod', 0]);
    (await api.get(api.path('pods', 'a'))).refused(404, 'NotFound', 'pods "a" not found');
  }),

  apiCase('a pod that runs has its grace period, which ends where it says', async (api) => {
    await boundPod(api, 'a', { terminationGracePeriodSeconds: 40 });
    const before = api.context.clock.now();
    const marked = (await api.delete(api.path('pods', 'a'))).done();
    assert.equal(marked.at('metadata.deletionGracePeriodSeconds'), 40);
    const after = api.context.clock.now();
    const due = Date.parse(marked.text('metadata.deletionTimestamp')); // in whole seconds, by another clock
    assert.ok(due > before + 38_000 && due < after + 41_000, `${due - before} ms`);
    assert.equal(marked.at('metadata.generation'), 2);
  }),

  apiCase('the grace period may be asked for', async (api) => {
    await boundPod(api, 'a');
    const marked = (await api.delete(api.path('pods', 'a'), { gracePeriodSeconds: 7 })).done();
    assert.equal(marked.at('metadata.deletionGracePeriodSeconds'), 7);
  }),

  apiCase('a second deletion shortens the grace period, and never lengthens it', async (api) => {
    await boundPod(api, 'a');
    const path = api.path('pods', 'a');
    await api.delete(path, { gracePeriodSeconds: 100 });
    assert.equal(
      (await api.delete(path, { gracePeriodSeconds: 20 })).done().at('metadata.deletionGracePeriodSeconds'),
      20,
    );
    assert.equal(
      (await api.delete(path, { gracePeriodSeconds: 50 })).done().at('metadata.deletionGracePeriodSeconds'),
      20,
    );
  }),

  apiCase('a grace period of nothing ends a pod at once', async (api) => {
    await boundPod(api, 'a');
    (await api.delete(api.path('pods', 'a'), { gracePeriodSeconds: 0 })).done();
    (await api.get(api.path('pods', 'a'))).refused(404, 'NotFound', 'pods "a" not found');
  }),

  apiCase('a pod that has ended needs no grace', async (api) => {
    await boundPod(api, 'a');
    (await api.patch(api.path('pods', 'a', 'status'), { status: { phase: 'Succeeded' } })).done();
    (await api.delete(api.path('pods', 'a'))).done();
    (await api.get(api.path('pods', 'a'))).refused(404, 'NotFound', 'pods "a" not found');
  }),

  apiCase('watchers see a pod marked before it is gone', async (api) => {
    const { body } = await api.pod('a');
    const { resourceVersion } = body['metadata'] as { resourceVersion: string };
    const events = await api.watch(`${api.path('pods')}?watch=true&resourceVersion=${resourceVersion}`, 2, () =>
      api.delete(api.path('pods', 'a')),
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['MODIFIED', 'DELETED'],
    );
  }),

  apiCase('a collection is deleted by selection', async (api) => {
    await api.configMap('a', { labels: { go: 'yes' } });
    await api.configMap('b', { labels: { go: 'yes' } });
    await api.configMap('c');
    const answer = (await api.delete(`${api.path('configmaps')}?labelSelector=go%3Dyes`)).done();
    assert.equal(answer.at('kind'), 'ConfigMapList');
    assert.deepEqual(namesOf(answer.items), ['a', 'b']);
    const left = (await api.get(`${api.path('configmaps')}?fieldSelector=metadata.name!%3Dkube-root-ca.crt`)).done();
    assert.deepEqual(namesOf(left.items), ['c']);
  }),

  apiCase('claims and volumes are protected while they may be used', async (api) => {
    const spec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'none',
    };
    const claim = (await api.post(api.path('persistentvolumeclaims'), { metadata: { name: 'a' }, spec })).done(201);
    assert.deepEqual(claim.at('metadata.finalizers'), ['kubernetes.io/pvc-protection']);
    assert.equal(claim.at('status.phase'), 'Pending');
  }),
];
