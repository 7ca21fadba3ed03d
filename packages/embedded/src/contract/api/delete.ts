import assert from 'node:assert/strict';
import type { JsonObject } from '@karpenter-ts/apis';
import { type Answer, apiCase, namesOf, type Wire } from './wire.ts';

const HOLD = 'example.com/hold';

/** Takes the finalizers off, so that the namespace can go. */
function release(wire: Wire, plural: string, name: string): void {
  wire.context.defer(async () => {
    await wire.patch(wire.path(plural, name), { metadata: { finalizers: null } });
  });
}

/** A pod that somebody runs, as far as the server can tell. */
async function boundPod(wire: Wire, name: string, spec: JsonObject = {}): Promise<Answer> {
  const pod = await wire.pod(name, { spec: { nodeName: wire.context.unique('nowhere'), ...spec } });
  wire.context.defer(() => wire.delete(wire.path('pods', name), { gracePeriodSeconds: 0 }));
  return pod;
}

/** Deleting objects. */
export const deleteCases = [
  apiCase('most kinds answer a deletion with what is gone', async (wire) => {
    const created = await wire.configMap('a');
    const answer = (await wire.delete(wire.path('configmaps', 'a'))).done();
    const details = { name: 'a', kind: 'configmaps', uid: created.at('metadata.uid') };
    assert.deepEqual([answer.at('kind'), answer.at('status'), answer.at('details')], ['Status', 'Success', details]);
    (await wire.get(wire.path('configmaps', 'a'))).refused(404, 'NotFound', 'configmaps "a" not found');
  }),

  apiCase('some kinds answer with the object itself', async (wire) => {
    (await wire.post(wire.path('serviceaccounts'), { metadata: { name: 'a' } })).done(201);
    const answer = (await wire.delete(wire.path('serviceaccounts', 'a'))).done();
    assert.deepEqual([answer.at('kind'), answer.at('metadata.name')], ['ServiceAccount', 'a']);
  }),

  apiCase('what is not there cannot be deleted', async (wire) => {
    (await wire.delete(wire.path('configmaps', 'a'))).refused(404, 'NotFound', 'configmaps "a" not found');
  }),

  apiCase('an object with finalizers stays, marked, until the last one is taken', async (wire) => {
    await wire.configMap('a', { finalizers: [HOLD, 'example.com/other'] });
    const marked = (await wire.delete(wire.path('configmaps', 'a'))).done();
    assert.match(marked.text('metadata.deletionTimestamp'), /Z$/);
    assert.equal(marked.at('metadata.deletionGracePeriodSeconds'), 0);
    const path = wire.path('configmaps', 'a');
    assert.deepEqual((await wire.patch(path, { metadata: { finalizers: [HOLD] } })).done().at('metadata.finalizers'), [
      HOLD,
    ]);
    (await wire.patch(path, { metadata: { finalizers: [] } })).done();
    (await wire.get(path)).refused(404, 'NotFound', 'configmaps "a" not found');
  }),

  apiCase('a marked object gets no new finalizers', async (wire) => {
    await wire.configMap('a', { finalizers: [HOLD] });
    release(wire, 'configmaps', 'a');
    (await wire.delete(wire.path('configmaps', 'a'))).done();
    const answer = await wire.patch(wire.path('configmaps', 'a'), {
      metadata: { finalizers: [HOLD, 'example.com/late'] },
    });
    answer.faults(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/late"}',
    );
  }),

  apiCase('a marked object may change otherwise, and cannot be unmarked', async (wire) => {
    await wire.configMap('a', { finalizers: [HOLD] });
    release(wire, 'configmaps', 'a');
    const marked = (await wire.delete(wire.path('configmaps', 'a'))).done();
    const next = (
      await wire.patch(wire.path('configmaps', 'a'), { metadata: { deletionTimestamp: null }, data: { x: 'y' } })
    ).done();
    assert.equal(next.at('metadata.deletionTimestamp'), marked.at('metadata.deletionTimestamp'));
    assert.deepEqual(next.at('data'), { x: 'y' });
  }),

  apiCase('a second deletion of a marked object changes nothing', async (wire) => {
    await wire.configMap('a', { finalizers: [HOLD] });
    release(wire, 'configmaps', 'a');
    const first = (await wire.delete(wire.path('configmaps', 'a'))).done();
    const second = (await wire.delete(wire.path('configmaps', 'a'))).done();
    assert.equal(second.at('metadata.resourceVersion'), first.at('metadata.resourceVersion'));
  }),

  apiCase('a deletion may insist on the object it means', async (wire) => {
    const created = await wire.configMap('a');
    const path = wire.path('configmaps', 'a');
    const uid = created.text('metadata.uid');
    (await wire.delete(path, { preconditions: { uid: 'another' } })).refused(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (another) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
    (await wire.delete(path, { preconditions: { resourceVersion: '1' } })).refused(
      409,
      'Conflict',
      /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record/,
    );
    (await wire.delete(path, { preconditions: { uid } })).done();
  }),

  apiCase('a dry run of a deletion deletes nothing', async (wire) => {
    await wire.configMap('a');
    assert.equal((await wire.delete(`${wire.path('configmaps', 'a')}?dryRun=All`)).done().at('status'), 'Success');
    (await wire.get(wire.path('configmaps', 'a'))).done();
  }),

  apiCase('options of a deletion that make no sense are refused', async (wire) => {
    await wire.configMap('a');
    const path = wire.path('configmaps', 'a');
    (await wire.delete(path, { propagationPolicy: 'Odd' })).faults(
      'propagationPolicy: Unsupported value: "Odd": supported values: "Foreground", "Background", "Orphan", "nil"',
    );
    (await wire.delete(path, { gracePeriodSeconds: 'x' })).refused(
      400,
      'BadRequest',
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    );
    (await wire.delete(path, { orphanDependents: true, propagationPolicy: 'Orphan' })).faults(
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    );
    (await wire.delete(`${path}?gracePeriodSeconds=x`)).refused(
      400,
      'BadRequest',
      'strconv.ParseInt: parsing "x": invalid syntax',
    );
  }),

  apiCase('a foreground deletion waits for dependents by a finalizer', async (wire) => {
    await wire.configMap('a', { finalizers: [HOLD] });
    release(wire, 'configmaps', 'a');
    const marked = (await wire.delete(wire.path('configmaps', 'a'), { propagationPolicy: 'Foreground' })).done();
    assert.deepEqual(marked.at('metadata.finalizers'), [HOLD, 'foregroundDeletion']);
  }),

  apiCase('a deletion that orphans dependents waits for that by a finalizer', async (wire) => {
    await wire.configMap('a', { finalizers: [HOLD] });
    release(wire, 'configmaps', 'a');
    const marked = (await wire.delete(wire.path('configmaps', 'a'), { propagationPolicy: 'Orphan' })).done();
    assert.deepEqual(marked.at('metadata.finalizers'), [HOLD, 'orphan']);
  }),

  apiCase('a deletion in the background takes those finalizers off again', async (wire) => {
    await wire.configMap('a', { finalizers: [HOLD, 'foregroundDeletion'] });
    release(wire, 'configmaps', 'a');
    const marked = (await wire.delete(wire.path('configmaps', 'a'), { propagationPolicy: 'Background' })).done();
    assert.deepEqual(marked.at('metadata.finalizers'), [HOLD]);
  }),

  apiCase('the pods of a Job are orphaned unless told otherwise', async (wire) => {
    const template = {
      spec: {
        schedulerName: 'nobody',
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'example.com/app:1' }],
      },
    };
    const job = { metadata: { name: 'a', finalizers: [HOLD] }, spec: { suspend: true, template } };
    (await wire.post(wire.path('batch/jobs'), job)).done(201);
    release(wire, 'batch/jobs', 'a');
    const marked = (await wire.delete(wire.path('batch/jobs', 'a'))).done();
    assert.deepEqual(marked.at('metadata.finalizers'), [HOLD, 'orphan']);
  }),

  apiCase('a pod that nobody runs goes at once', async (wire) => {
    await wire.pod('a');
    const answer = (await wire.delete(wire.path('pods', 'a'))).done();
    assert.deepEqual([answer.at('kind'), answer.at('metadata.deletionGracePeriodSeconds')], ['Pod', 0]);
    (await wire.get(wire.path('pods', 'a'))).refused(404, 'NotFound', 'pods "a" not found');
  }),

  apiCase('a pod that runs has its grace period, which ends where it says', async (wire) => {
    await boundPod(wire, 'a', { terminationGracePeriodSeconds: 40 });
    const before = wire.context.clock.now();
    const marked = (await wire.delete(wire.path('pods', 'a'))).done();
    assert.equal(marked.at('metadata.deletionGracePeriodSeconds'), 40);
    const after = wire.context.clock.now();
    const due = Date.parse(marked.text('metadata.deletionTimestamp')); // in whole seconds, by another clock
    assert.ok(due > before + 38_000 && due < after + 41_000, `${due - before} ms`);
    assert.equal(marked.at('metadata.generation'), 2);
  }),

  apiCase('the grace period may be asked for', async (wire) => {
    await boundPod(wire, 'a');
    const marked = (await wire.delete(wire.path('pods', 'a'), { gracePeriodSeconds: 7 })).done();
    assert.equal(marked.at('metadata.deletionGracePeriodSeconds'), 7);
  }),

  apiCase('a second deletion shortens the grace period, and never lengthens it', async (wire) => {
    await boundPod(wire, 'a');
    const path = wire.path('pods', 'a');
    await wire.delete(path, { gracePeriodSeconds: 100 });
    assert.equal(
      (await wire.delete(path, { gracePeriodSeconds: 20 })).done().at('metadata.deletionGracePeriodSeconds'),
      20,
    );
    assert.equal(
      (await wire.delete(path, { gracePeriodSeconds: 50 })).done().at('metadata.deletionGracePeriodSeconds'),
      20,
    );
  }),

  apiCase('a grace period of nothing ends a pod at once', async (wire) => {
    await boundPod(wire, 'a');
    (await wire.delete(wire.path('pods', 'a'), { gracePeriodSeconds: 0 })).done();
    (await wire.get(wire.path('pods', 'a'))).refused(404, 'NotFound', 'pods "a" not found');
  }),

  apiCase('a pod that has ended needs no grace', async (wire) => {
    await boundPod(wire, 'a');
    (await wire.patch(wire.path('pods', 'a', 'status'), { status: { phase: 'Succeeded' } })).done();
    (await wire.delete(wire.path('pods', 'a'))).done();
    (await wire.get(wire.path('pods', 'a'))).refused(404, 'NotFound', 'pods "a" not found');
  }),

  apiCase('watchers see a pod marked before it is gone', async (wire) => {
    const { body } = await wire.pod('a');
    const { resourceVersion } = body['metadata'] as { resourceVersion: string };
    const events = await wire.watch(`${wire.path('pods')}?watch=true&resourceVersion=${resourceVersion}`, 2, () =>
      wire.delete(wire.path('pods', 'a')),
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['MODIFIED', 'DELETED'],
    );
  }),

  apiCase('a collection is deleted by selection', async (wire) => {
    await wire.configMap('a', { labels: { go: 'yes' } });
    await wire.configMap('b', { labels: { go: 'yes' } });
    await wire.configMap('c');
    const answer = (await wire.delete(`${wire.path('configmaps')}?labelSelector=go%3Dyes`)).done();
    assert.equal(answer.at('kind'), 'ConfigMapList');
    assert.deepEqual(namesOf(answer.items), ['a', 'b']);
    const left = (await wire.get(`${wire.path('configmaps')}?fieldSelector=metadata.name!%3Dkube-root-ca.crt`)).done();
    assert.deepEqual(namesOf(left.items), ['c']);
  }),

  apiCase('claims and volumes are protected while they may be used', async (wire) => {
    const spec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'none',
    };
    const claim = (await wire.post(wire.path('persistentvolumeclaims'), { metadata: { name: 'a' }, spec })).done(201);
    assert.deepEqual(claim.at('metadata.finalizers'), ['kubernetes.io/pvc-protection']);
    assert.equal(claim.at('status.phase'), 'Pending');
  }),
];
