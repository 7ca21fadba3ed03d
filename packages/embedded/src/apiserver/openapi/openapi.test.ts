import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { RESOURCES } from '@karpenter-ts/apis';
import { BUILTIN_RESOURCES } from '../kinds/builtin.ts';
import { goStruct } from '../kinds/go-types.ts';
import { objectAt } from '../object.ts';
import type { ServedResource } from '../resources.ts';
import { CLUSTER_DESCRIPTIONS } from './cluster-descriptions.ts';
import { openApi } from './openapi.ts';
import { POD_DESCRIPTIONS } from './pod-descriptions.ts';
import { OPTIONAL, REQUIRED } from './required-fields.ts';
import { WORKLOAD_DESCRIPTIONS } from './workload-descriptions.ts';

const CUSTOM = RESOURCES.core.map(
  ({ shortNames = [], scope, ...rest }): ServedResource => ({
    ...rest,
    singular: rest.kind.toLowerCase(),
    listKind: `${rest.kind}List`,
    shortNames,
    namespaced: scope === 'Namespaced',
    verbs: [],
    subresources: [],
  }),
);
const SERVED = [...BUILTIN_RESOURCES, ...CUSTOM];

const indexed = Object.entries(objectAt(openApi(SERVED, '/openapi/v3')!, 'paths'));
const document = (path: string): JsonObject => openApi(SERVED, `/openapi/v3/${path}`)!;
const schemaIn = (path: string, name: string): JsonObject => objectAt(document(path), 'components', 'schemas', name);

test('every group and version has a document, at the address the index tells', () => {
  const paths = new Set(indexed.map(([path]) => path));
  assert.ok(paths.has('api/v1') && paths.has('apis/apps/v1') && paths.has('apis/karpenter.sh/v1alpha1'));
  for (const [path, entry] of indexed) {
    assert.deepEqual(entry, { serverRelativeURL: `/openapi/v3/${path}` });
    assert.ok(openApi(SERVED, `/openapi/v3/${path}`));
  }
});

test('what is not served has none', () => {
  for (const path of ['/openapi/v2', '/openapi/v3/api', '/openapi/v3/apis/nope/v1', '/openapi/v3/apis/apps/v2']) {
    assert.equal(openApi(SERVED, path), undefined, path);
  }
});

test('every reference of a document leads to a schema in it', () => {
  for (const [path] of indexed) {
    const schemas = objectAt(document(path), 'components', 'schemas');
    const references = JSON.stringify(schemas).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    for (const [, name] of references)
      assert.ok(name !== undefined && Object.hasOwn(schemas, name), `${path}: ${name}`);
  }
});

test('a kind is found by its group, version and kind, in its path and its schema', () => {
  const item = objectAt(document('apis/apps/v1'), 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}');
  const kind = { group: 'apps', kind: 'Deployment', version: 'v1' };
  assert.deepEqual(objectAt(item, 'get')['x-kubernetes-group-version-kind'], kind);
  assert.deepEqual(schemaIn('apis/apps/v1', 'io.k8s.api.apps.v1.Deployment')['x-kubernetes-group-version-kind'], [
    kind,
  ]);
  assert.ok(objectAt(document('api/v1'), 'paths', '/api/v1/nodes')['get']);
});

const PATCH = 'application/strategic-merge-patch+json';

test('kubectl learns that the server checks fields, and that only built-in kinds take strategic patches', () => {
  const patchOf = (path: string, item: string): JsonObject => objectAt(document(path), 'paths', item, 'patch');
  const pods = patchOf('api/v1', '/api/v1/namespaces/{namespace}/pods/{name}');
  const pools = patchOf('apis/karpenter.sh/v1', '/apis/karpenter.sh/v1/nodepools/{name}');
  for (const patch of [pods, pools]) {
    const parameters = patch['parameters'] as readonly JsonObject[];
    assert.ok(parameters.some(({ name, in: place }) => name === 'fieldValidation' && place === 'query'));
  }
  assert.ok(Object.hasOwn(objectAt(pods, 'requestBody', 'content'), PATCH));
  assert.ok(!Object.hasOwn(objectAt(pools, 'requestBody', 'content'), PATCH));
});

test('lists that merge say by which key', () => {
  const { containers, tolerations } = objectAt(schemaIn('api/v1', 'io.k8s.api.core.v1.PodSpec'), 'properties');
  assert.deepEqual(containers, {
    description: 'The programs. At least one; they cannot be added or removed later.',
    type: 'array',
    items: { $ref: '#/components/schemas/io.k8s.api.core.v1.Container' },
    'x-kubernetes-patch-strategy': 'merge',
    'x-kubernetes-patch-merge-key': 'name',
  });
  assert.equal((tolerations as JsonObject)['x-kubernetes-patch-strategy'], undefined);
});

test('a custom resource has its own schema, and the members that every object has', () => {
  const pool = schemaIn('apis/karpenter.sh/v1', 'sh.karpenter.v1.NodePool');
  assert.deepEqual(Object.keys(objectAt(pool, 'properties')).sort(), [
    'apiVersion',
    'kind',
    'metadata',
    'spec',
    'status',
  ]);
  assert.ok(objectAt(pool, 'properties', 'spec', 'properties', 'disruption', 'properties')['budgets']);
});

test('only fields that exist are described, required or optional', () => {
  const paths = [...REQUIRED, ...OPTIONAL].map((path) => path.split(/\.(?=[^.]+$)/) as [string, string]);
  for (const [struct, field] of paths) assert.ok(goStruct(struct).fields.has(field), `${struct}.${field}`);
  for (const [struct, fields] of Object.entries({
    ...CLUSTER_DESCRIPTIONS,
    ...POD_DESCRIPTIONS,
    ...WORKLOAD_DESCRIPTIONS,
  })) {
    for (const field of Object.keys(fields).filter((name) => name !== '')) {
      assert.ok(goStruct(struct).fields.has(field), `${struct}.${field}`);
    }
  }
});
