import assert from 'node:assert/strict';
import { apiCase } from './raw-api.ts';

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
}

/** What the server says of itself. */
export const discoveryCases = [
  apiCase('the server is of the version whose behaviour it has', async (api) => {
    const version = (await api.get('/version')).done();
    assert.deepEqual([version.at('major'), version.at('minor')], ['1', '35']);
  }),

  apiCase('the resources of a group are listed with names, verbs and parts', async (api) => {
    const list = (await api.get('/apis/apps/v1')).done();
    assert.deepEqual([list.at('kind'), list.at('groupVersion')], ['APIResourceList', 'apps/v1']);
    const resources = list.at('resources') as unknown as readonly ApiResource[];
    const deployments = resources.find(({ name }) => name === 'deployments')!;
    assert.deepEqual(
      [deployments.kind, deployments.namespaced, deployments.shortNames],
      ['Deployment', true, ['deploy']],
    );
    const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
    assert.deepEqual([...deployments.verbs].sort(), verbs);
    assert.deepEqual(resources.find(({ name }) => name === 'deployments/scale')?.kind, 'Scale');
  }),

  apiCase('groups are listed', async (api) => {
    const list = (await api.get('/apis')).done();
    const names = new Set((list.at('groups') as readonly { name: string }[]).map(({ name }) => name));
    for (const group of ['apps', 'batch', 'policy', 'storage.k8s.io', 'coordination.k8s.io', 'apiextensions.k8s.io']) {
      assert.ok(names.has(group), group);
    }
  }),

  apiCase('discovery can be had in one piece', async (api) => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const list = (await api.get('/apis', { accept })).done();
    assert.equal(list.at('kind'), 'APIGroupDiscoveryList');
    const groups = list.items as readonly unknown[] as readonly { metadata: { name: string } }[];
    assert.ok(groups.some(({ metadata }) => metadata.name === 'apps'));
  }),

  apiCase('schemas are indexed by group and version', async (api) => {
    const paths = (await api.get('/openapi/v3')).done().at('paths') as Readonly<
      Record<string, { serverRelativeURL: string }>
    >;
    assert.match(paths['apis/apps/v1']!.serverRelativeURL, /^\/openapi\/v3\/apis\/apps\/v1/);
  }),

  apiCase('a group that is not served is not found', async (api) => {
    const response = await api.context.transport.send({
      method: 'GET',
      path: '/apis/nonsense.example.com/v1',
      headers: {},
    });
    for await (const _ of response.body);
    assert.equal(response.status, 404);
  }),
];
