import assert from 'node:assert/strict';
import { apiCase, type RawApi } from './raw-api.ts';

/**
 * A namespace that stays when it is deleted, until the case is over. Something in it stays, too: once it is empty, its
 * controller lets go of it, and it is deleted as any other object is.
 */
async function heldNamespace(api: RawApi): Promise<string> {
  const name = api.context.unique('held');
  const path = `/api/v1/namespaces/${name}`;
  const finalizers = ['example.com/hold'];
  (await api.post('/api/v1/namespaces', { metadata: { name, finalizers } })).done(201);
  (await api.post(`${path}/configmaps`, { metadata: { name: 'held', finalizers } })).done(201);
  api.context.defer(async () => {
    await api.delete(path);
    await api.patch(`${path}/configmaps/held`, { metadata: { finalizers: null } });
    await api.patch(path, { metadata: { finalizers: null } });
  });
  return path;
}

/** Namespaces, and what is in the cluster from the start. */
export const namespaceCases = [
  apiCase('the namespaces of every cluster are there', async (api) => {
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
      assert.equal((await api.get(`/api/v1/namespaces/${name}`)).done().at('status.phase'), 'Active');
    }
  }),

  apiCase('a new namespace is active, labelled with its name and held by its finalizer', async (api) => {
    const namespace = (await api.get(`/api/v1/namespaces/${api.context.namespace}`)).done();
    const labels = namespace.at('metadata.labels') as Readonly<Record<string, string>>;
    assert.equal(labels['kubernetes.io/metadata.name'], api.context.namespace);
    assert.deepEqual(
      [namespace.at('status'), namespace.at('spec')],
      [{ phase: 'Active' }, { finalizers: ['kubernetes'] }],
    );
  }),

  apiCase('the name of a namespace is one part of a DNS name', async (api) => {
    const answer = await api.post('/api/v1/namespaces', { metadata: { name: 'a.b' } });
    answer.refused(422, 'Invalid', /^Namespace "a\.b" is invalid: metadata\.name: Invalid value: "a\.b": /);
  }),

  apiCase('some namespaces may not be deleted', async (api) => {
    (await api.delete('/api/v1/namespaces/default')).refused(
      403,
      'Forbidden',
      'namespaces "default" is forbidden: this namespace may not be deleted',
    );
  }),

  apiCase('a deleted namespace is terminating until it is empty, and takes nothing new', async (api) => {
    const path = await heldNamespace(api);
    const name = path.split('/').at(-1)!;
    const deleted = (await api.delete(path)).done();
    assert.deepEqual([deleted.at('kind'), deleted.at('status.phase')], ['Namespace', 'Terminating']);
    const refused = await api.context.until('admission knows of it', async () => {
      const answer = await api.post(`${path}/configmaps?dryRun=All`, { metadata: { name: 'a' } });
      return answer.code === 403 && answer;
    });
    refused.refused(
      403,
      'Forbidden',
      `configmaps "a" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
    );
    const [cause] = refused.at('details.causes') as readonly { reason: string }[];
    assert.equal(cause?.reason, 'NamespaceTerminating');
  }),

  apiCase('a namespace that is terminating is not deleted in another way', async (api) => {
    const path = await heldNamespace(api);
    const first = (await api.delete(path)).done();
    const again = (await api.delete(path, { propagationPolicy: 'Foreground' })).done();
    assert.deepEqual(again.at('metadata.finalizers'), first.at('metadata.finalizers'));
    assert.equal(again.at('metadata.deletionTimestamp'), first.at('metadata.deletionTimestamp'));
  }),

  apiCase('the phase of a namespace cannot be written by hand', async (api) => {
    const answer = await api.patch(`/api/v1/namespaces/${api.context.namespace}/status`, {
      status: { phase: 'Terminating' },
    });
    answer.faults('status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty');
  }),

  apiCase('a namespace does not go with a list of them', async (api) => {
    (await api.delete('/api/v1/namespaces?labelSelector=never')).refused(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    );
  }),
];
