import type { JsonObject } from '@karpenter-ts/kubernetes';
import { findBuiltin } from '../kinds/builtin.ts';
import { apiVersionOf, type ServedResource } from '../resources.ts';
import { componentsOf } from './components.ts';

const ROOT = '/openapi/v3';

/**
 * Answers `/openapi/v3`, the list of documents, and the document of each group and version below it; undefined for any
 * other path and for what is not served. Holds what kubectl reads: schemas to explain and to merge by, and which kinds
 * can be patched how. A document is made anew with every call, in a few milliseconds.
 */
export function openApi(resources: readonly ServedResource[], path: string): JsonObject | undefined {
  if (path === ROOT) return index(resources);
  const served = resources.filter((resource) => path === `${ROOT}${basePath(resource)}`);
  return served.length === 0 ? undefined : document(served);
}

function basePath(resource: ServedResource): string {
  return `/${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;
}

function index(resources: readonly ServedResource[]): JsonObject {
  const bases = new Set(resources.map(basePath));
  const entries = [...bases].map((base) => [base.slice(1), { serverRelativeURL: `${ROOT}${base}` }]);
  return { paths: Object.fromEntries(entries) as JsonObject };
}

function document(resources: readonly ServedResource[]): JsonObject {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: '1.35' },
    paths: Object.fromEntries(resources.flatMap(pathsOf)),
    components: { schemas: componentsOf(resources) },
  };
}

type Operation = 'get' | 'post' | 'put' | 'patch' | 'delete';

function pathsOf(resource: ServedResource): readonly (readonly [string, JsonObject])[] {
  const collection = `${basePath(resource)}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.plural}`;
  return [
    [collection, operations(resource, ['get', 'post'])],
    [`${collection}/{name}`, operations(resource, ['get', 'put', 'patch', 'delete'])],
  ];
}

function operations(resource: ServedResource, names: readonly Operation[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, operation(resource, name)]));
}

const parameter = (name: string, type = 'string'): JsonObject => ({ name, in: 'query', schema: { type } });

/** With `fieldValidation` among them, kubectl leaves checking to the server. */
const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => parameter(name));

const PARAMETERS: Readonly<Record<Operation, readonly JsonObject[]>> = {
  get: [],
  post: WRITE_PARAMETERS,
  put: WRITE_PARAMETERS,
  patch: [...WRITE_PARAMETERS, parameter('force', 'boolean')],
  delete: [],
};

function operation(resource: ServedResource, name: Operation): JsonObject {
  const { group, version, kind } = resource;
  return {
    ...(PARAMETERS[name].length > 0 && { parameters: PARAMETERS[name] }),
    ...(name === 'patch' && { requestBody: { content: patchContent(resource), required: true } }),
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-group-version-kind': { group, kind, version },
  };
}

/** Custom resources have no merge keys, and no strategic patches. */
function patchContent({ group, version, plural }: ServedResource): JsonObject {
  const isBuiltin = findBuiltin(group, version, plural) !== undefined;
  const forms = ['json-patch', 'merge-patch', ...(isBuiltin ? ['strategic-merge-patch'] : [])];
  return Object.fromEntries(forms.map((form) => [`application/${form}+json`, {}]));
}
