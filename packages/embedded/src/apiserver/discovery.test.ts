import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import { discover } from './discovery.ts';
import { BUILTIN_RESOURCES } from './kinds/builtin.ts';
import type { ServedResource, Verb } from './resources.ts';

const VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const custom = (version: string, kind: string): ServedResource => ({
  group: 'karpenter.sh',
  version,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  kind,
  listKind: `${kind}List`,
  shortNames: [],
  categories: ['karpenter'],
  namespaced: false,
  verbs: VERBS,
  subresources: [{ name: 'status', group: 'karpenter.sh', version, kind, verbs: ['get', 'patch', 'update'] }],
  columns: [],
  schema: {},
});

const RESOURCES = [...BUILTIN_RESOURCES, custom('v1alpha1', 'NodeOverlay'), custom('v1', 'NodePool')];

const answer = (path: string, accept?: string) => discover(RESOURCES, path, accept);
const named = (list: Json | undefined, name: string) =>
  (list as readonly JsonObject[]).find((item) => item['name'] === name || item['resource'] === name);

test('the core group has versions, the others are listed with their preferred one', () => {
  assert.deepEqual(answer('/api')?.body['versions'], ['v1']);
  const groups = answer('/apis')?.body['groups'];
  assert.deepEqual(named(groups, 'apps'), {
    name: 'apps',
    versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
    preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
  });
  assert.equal(named(groups, ''), undefined);
});

test('of a group, the most stable version is preferred', () => {
  const versions = ['v1alpha1', 'v1beta2', 'v2alpha3', 'v1', 'odd', 'v10', 'v1beta10'];
  const resources = versions.map((version) => custom(version, 'Foo'));
  const listed = discover(resources, '/apis/karpenter.sh')?.body['versions'] as readonly JsonObject[];
  assert.deepEqual(
    listed.map(({ version }) => version),
    ['v10', 'v1', 'v1beta10', 'v1beta2', 'v2alpha3', 'v1alpha1', 'odd'],
  );
});

test('a version lists its resources and their parts as the real server does', () => {
  const { resources } = answer('/apis/apps/v1')?.body ?? {};
  assert.deepEqual(named(resources, 'deployments'), {
    name: 'deployments',
    singularName: 'deployment',
    namespaced: true,
    kind: 'Deployment',
    verbs: VERBS,
    shortNames: ['deploy'],
    categories: ['all'],
  });
  assert.deepEqual(named(resources, 'deployments/scale'), {
    name: 'deployments/scale',
    singularName: '',
    namespaced: true,
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    verbs: ['get', 'patch', 'update'],
  });
  const own = named(answer('/apis/karpenter.sh/v1')?.body['resources'], 'nodepools/status');
  assert.equal(own?.['group'], undefined);
});

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

test('kubectl gets everything in two answers', () => {
  const core = answer('/api', `${AGGREGATED},application/json`);
  assert.equal(core?.contentType, AGGREGATED);
  const [group] = core.body['items'] as readonly JsonObject[];
  assert.deepEqual(group?.['metadata'], {});
  const [version] = group['versions'] as readonly JsonObject[];
  assert.deepEqual(named(version?.['resources'], 'namespaces'), {
    resource: 'namespaces',
    responseKind: { group: '', version: '', kind: 'Namespace' },
    scope: 'Cluster',
    singularResource: 'namespace',
    verbs: VERBS.filter((verb) => verb !== 'deletecollection'),
    shortNames: ['ns'],
    subresources: [
      { subresource: 'finalize', responseKind: { group: '', version: '', kind: 'Namespace' }, verbs: ['update'] },
      {
        subresource: 'status',
        responseKind: { group: '', version: '', kind: 'Namespace' },
        verbs: ['get', 'patch', 'update'],
      },
    ],
  });
});

test('a custom resource tells its kind in full, once for each version', () => {
  const items = answer('/apis', AGGREGATED)?.body['items'] as readonly JsonObject[];
  const karpenter = items.find(({ metadata }) => (metadata as JsonObject)['name'] === 'karpenter.sh');
  const versions = karpenter?.['versions'] as readonly JsonObject[];
  assert.deepEqual(
    versions.map(({ version, resources }) => [version, (resources as readonly JsonObject[])[0]?.['responseKind']]),
    [
      ['v1', { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' }],
      ['v1alpha1', { group: 'karpenter.sh', version: 'v1alpha1', kind: 'NodeOverlay' }],
    ],
  );
});

test('who asks for plain JSON first gets it', () => {
  for (const accept of [undefined, '', '*/*', 'application/json', `application/json,${AGGREGATED}`, 'text/html']) {
    assert.equal(answer('/apis', accept)?.contentType, 'application/json', accept);
  }
  const older = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
  assert.equal(answer('/apis', `${older},application/json`)?.contentType, 'application/json');
});

test('what is not served is not there', () => {
  for (const path of [
    '/',
    '/api/v2',
    '/apis/nope',
    '/apis/apps/v9',
    '/apis/v1',
    '/api/v1/pods',
    '/healthz',
    '/version/x',
  ]) {
    assert.equal(answer(path), undefined, path);
  }
});

test('the server tells its version', () => {
  assert.equal(answer('/version')?.body['minor'], '35');
});
