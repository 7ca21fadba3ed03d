import assert from 'node:assert/strict';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { apiCase } from './raw-api.ts';

const CONFLICT = 'the object has been modified; please apply your changes to the latest version and try again';

const deployment = (name: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'example.com/app:1' }] },
    },
    ...spec,
  },
});

/** Replacing objects. */
export const updateCases = [
  apiCase('a replaced object keeps its identity and gets a new version', async (api) => {
    const old = await api.configMap('a', { labels: { x: '1' } }, { k: '1' });
    const next = (await api.put(api.path('configmaps', 'a'), { metadata: { name: 'a' }, data: { k: '2' } })).done();
    assert.deepEqual(
      [next.at('metadata.uid'), next.at('metadata.creationTimestamp')],
      [old.at('metadata.uid'), old.at('metadata.creationTimestamp')],
    );
    assert.ok(Number(next.text('metadata.resourceVersion')) > Number(old.text('metadata.resourceVersion')));
    assert.deepEqual([next.at('data'), next.at('metadata.labels')], [{ k: '2' }, undefined]);
  }),

  apiCase('an update of an older version is a conflict', async (api) => {
    const old = await api.configMap('a');
    (await api.patch(api.path('configmaps', 'a'), { data: { x: '1' } })).done();
    const answer = await api.put(api.path('configmaps', 'a'), old.body);
    answer.refused(409, 'Conflict', `Operation cannot be fulfilled on configmaps "a": ${CONFLICT}`);
    assert.deepEqual(answer.at('details'), { name: 'a', kind: 'configmaps' });
  }),

  apiCase('an update of the present version is none', async (api) => {
    const old = await api.configMap('a');
    (await api.put(api.path('configmaps', 'a'), { ...old.body, data: { x: '1' } })).done();
  }),

  apiCase('an update that changes nothing keeps the version', async (api) => {
    const old = await api.configMap('a', {}, { k: '1' });
    const same = (await api.put(api.path('configmaps', 'a'), old.body)).done();
    assert.equal(same.at('metadata.resourceVersion'), old.at('metadata.resourceVersion'));
  }),

  apiCase('some kinds insist on the version', async (api) => {
    const path = api.path('coordination.k8s.io/leases');
    (await api.post(path, { metadata: { name: 'a' }, spec: {} })).done(201);
    const answer = await api.put(`${path}/a`, { metadata: { name: 'a' }, spec: { holderIdentity: 'me' } });
    answer.refused(
      422,
      'Invalid',
      'leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  }),

  apiCase('some kinds are created by an update', async (api) => {
    const path = api.path('coordination.k8s.io/leases', 'a');
    (await api.put(path, { metadata: { name: 'a' }, spec: { holderIdentity: 'me' } })).done(201);
    assert.equal((await api.get(path)).done().at('spec.holderIdentity'), 'me');
  }),

  apiCase('most are not', async (api) => {
    const answer = await api.put(api.path('configmaps', 'a'), { metadata: { name: 'a' } });
    answer.refused(404, 'NotFound', 'configmaps "a" not found');
  }),

  apiCase('an update meant for a namesake is a conflict', async (api) => {
    await api.configMap('a');
    const answer = await api.put(api.path('configmaps', 'a'), { metadata: { name: 'a', uid: 'another' } });
    answer.refused(
      409,
      'Conflict',
      /^Operation cannot be fulfilled on configmaps "a": .*Precondition failed: UID in precondition: another, UID in object meta: /,
    );
  }),

  apiCase('name and address must agree', async (api) => {
    await api.configMap('a');
    const path = api.path('configmaps', 'a');
    (await api.put(path, { metadata: { name: 'b' } })).refused(
      400,
      'BadRequest',
      'the name of the object (b) does not match the name on the URL (a)',
    );
    (await api.put(path, { metadata: {} })).refused(
      400,
      'BadRequest',
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    );
  }),

  apiCase('a deletion cannot be written by hand', async (api) => {
    await api.configMap('a');
    const answer = await api.put(api.path('configmaps', 'a'), {
      metadata: { name: 'a', deletionTimestamp: '2020-01-01T00:00:00Z' },
    });
    answer.faults('metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable');
  }),

  apiCase('a dry run of an update changes nothing', async (api) => {
    const old = await api.configMap('a', {}, { k: '1' });
    const answer = (
      await api.put(`${api.path('configmaps', 'a')}?dryRun=All`, { metadata: { name: 'a' }, data: { k: '2' } })
    ).done();
    assert.deepEqual(answer.at('data'), { k: '2' });
    assert.deepEqual((await api.get(api.path('configmaps', 'a'))).body, old.body);
  }),

  apiCase('a spec that changes is a new generation; labels and status are not', async (api) => {
    const path = api.path('apps/replicasets', 'a');
    const created = (await api.post(api.path('apps/replicasets'), deployment('a'))).done(201);
    assert.equal(created.at('metadata.generation'), 1);
    assert.equal((await api.patch(path, { metadata: { labels: { x: 'y' } } })).done().at('metadata.generation'), 1);
    assert.equal((await api.patch(path, { spec: { minReadySeconds: 5 } })).done().at('metadata.generation'), 2);
  }),

  apiCase('of a Deployment the annotations count, too', async (api) => {
    const path = api.path('apps/deployments', 'a');
    (await api.post(api.path('apps/deployments'), deployment('a', { paused: true }))).done(201);
    const before = (await api.get(path)).at('metadata.generation') as number;
    const after = (await api.patch(path, { metadata: { annotations: { x: 'y' } } })).done().at('metadata.generation');
    assert.equal(after, before + 1);
  }),

  apiCase('a generation cannot be written by hand', async (api) => {
    (await api.post(api.path('apps/replicasets'), deployment('a'))).done(201);
    const answer = (await api.patch(api.path('apps/replicasets', 'a'), { metadata: { generation: 99 } })).done();
    assert.equal(answer.at('metadata.generation'), 1);
  }),

  apiCase('whose pods they are, controllers cannot change', async (api) => {
    for (const plural of ['deployments', 'replicasets', 'daemonsets']) {
      (
        await api.post(api.path(`apps/${plural}`), deployment('a', plural === 'daemonsets' ? { replicas: null } : {}))
      ).done(201);
      const answer = await api.patch(api.path(`apps/${plural}`, 'a'), {
        spec: { selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } },
      });
      answer.faults('spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable');
      (await api.delete(api.path(`apps/${plural}`, 'a'))).done();
    }
  }),

  apiCase('of a StatefulSet only what is listed may change', async (api) => {
    (await api.post(api.path('apps/statefulsets'), deployment('a', { serviceName: 's' }))).done(201);
    const answer = await api.patch(api.path('apps/statefulsets', 'a'), { spec: { serviceName: 't' } });
    answer.faults(
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    );
  }),

  apiCase('an immutable ConfigMap stays as it is', async (api) => {
    (await api.post(api.path('configmaps'), { metadata: { name: 'a' }, data: { x: 'y' }, immutable: true })).done(201);
    const answer = await api.patch(api.path('configmaps', 'a'), { data: { x: 'z' } });
    answer.faults('data: Forbidden: field is immutable when `immutable` is set');
  }),

  apiCase('text of a Secret is kept encoded', async (api) => {
    const created = (await api.post(api.path('secrets'), { metadata: { name: 'a' }, stringData: { x: 'y' } })).done(
      201,
    );
    assert.deepEqual(
      [created.at('data'), created.at('stringData'), created.at('type')],
      [{ x: 'eQ==' }, undefined, 'Opaque'],
    );
  }),
];
