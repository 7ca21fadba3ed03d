import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import type { TransportRequest } from '@karpenter-ts/runtime';
import type { Rng } from './rng.ts';
import { FUZZ_KINDS, type FuzzKind } from './fuzz-kind.ts';
import { randomObject, withFault } from './random-object.ts';

/**
 * A request. Where it must name a value of the server, it contains a placeholder (`@version@`, `@uid@`, `@continue@`),
 * which the sender replaces by what the server last answered about `about`.
 */
export interface FuzzRequest extends Pick<TransportRequest, 'method' | 'path' | 'headers'> {
  readonly body?: string;
  /** Path of the object or the list. */
  readonly about: string;
}

/** Namespaces that must be there. Others are named, too. */
export const FUZZ_NAMESPACES: readonly string[] = ['fuzz-a', 'fuzz-b'];

const NAMES: readonly string[] = ['a', 'a', 'a', 'b', 'b', 'c'];
const BAD_NAMES: readonly string[] = ['Bad_Name', 'x'.repeat(260), '-', 'a%2Fb', '%zz', 'a..b', 'missing'];

/** A random request: most are for objects that exist or could exist, some have an error. */
export function randomRequest(rng: Rng): FuzzRequest {
  const kind = rng.pick(FUZZ_KINDS);
  const place = randomPlace(kind, rng);
  const make = rng.weighted([
    [30, createRequest],
    [6, readRequest],
    [12, listRequest],
    [2, watchRequest],
    [14, updateRequest],
    [20, patchRequest],
    [8, deleteRequest],
    [2, deleteAllRequest],
    [6, subresourceRequest],
    [2, strayRequest],
  ]);
  const request = make(kind, place, rng);
  return rng.percent(5) ? withOtherHeaders(request, rng) : request;
}

/** Where an object is, or would be. */
interface Place {
  readonly collection: string;
  readonly name: string;
  readonly metadata: JsonObject;
}

function randomPlace({ group, plural, namespaced }: FuzzKind, rng: Rng): Place {
  const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
  const namespace = rng.percent(96) ? rng.pick(FUZZ_NAMESPACES) : rng.pick(['nowhere', 'Bad_', '-']);
  const name = rng.percent(95) ? rng.pick(NAMES) : rng.pick(BAD_NAMES);
  return {
    collection: namespaced ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`,
    name,
    metadata: namespaced && rng.percent(50) ? { name, namespace } : { name },
  };
}

const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' };

function createRequest(kind: FuzzKind, { collection, name, metadata }: Place, rng: Rng): FuzzRequest {
  const placed = rng.percent(90) ? metadata : rng.pick<JsonObject>([{ generateName: 'gen-' }, {}, { name, uid: 'u' }]);
  const query = writeQuery(rng);
  return {
    method: 'POST',
    path: collection + query,
    headers: JSON_HEADERS,
    body: randomText(randomObject(kind, placed, rng), rng),
    about: `${collection}/${name}`,
  };
}

function readRequest(_kind: FuzzKind, { collection, name }: Place, rng: Rng): FuzzRequest {
  const query = rng.percent(80) ? '' : rng.pick(['?resourceVersion=0', '?resourceVersion=1', '?pretty=true']);
  const about = `${collection}/${name}`;
  return { method: 'GET', path: about + query, headers: { accept: 'application/json' }, about };
}

const SELECTIONS: readonly string[] = [
  'labelSelector=app%3Da', 'labelSelector=app', 'labelSelector=!app', 'labelSelector=app+in+(a,b)', 'labelSelector=app+in',
  'labelSelector=%3D%3D', 'labelSelector=a/b/c%3Dd', 'fieldSelector=metadata.name%3Da', 'fieldSelector=metadata.name!%3Da',
  'fieldSelector=spec.nodeName%3D', 'fieldSelector=nothing%3Da', 'fieldSelector=metadata.name', 'limit=1', 'limit=2', 'limit=-1',
  'limit=x', 'limit=1&continue=@continue@', 'continue=@continue@', 'continue=bad', 'resourceVersion=0', 'resourceVersion=-1',
  'resourceVersion=x', 'resourceVersion=x&resourceVersionMatch=Exact', 'resourceVersionMatch=NotOlderThan',
  'resourceVersion=0&resourceVersionMatch=NotOlderThan', 'resourceVersion=0&resourceVersionMatch=Exact',
  'resourceVersion=0&resourceVersionMatch=Bad', 'resourceVersion=1&continue=@continue@', 'timeoutSeconds=x', 'pretty=maybe',
]; // biome-ignore format: a table

function listRequest(_kind: FuzzKind, { collection }: Place, rng: Rng): FuzzRequest {
  const everywhere = rng.percent(15) ? collection.replace(/\/namespaces\/[^/]+/, '') : collection;
  const query = rng.percent(30) ? '' : `?${rng.pick(SELECTIONS)}`;
  return { method: 'GET', path: everywhere + query, headers: { accept: 'application/json' }, about: everywhere };
}

const WATCHES: readonly string[] = [
  'watch=true', 'watch=1&resourceVersion=0', 'watch=true&sendInitialEvents=true',
  'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  'watch=true&resourceVersionMatch=NotOlderThan', 'watch=true&labelSelector=app+in',
  'watch=true&timeoutSeconds=x', 'watch=true&fieldSelector=nothing%3Da', 'watch=false',
]; // biome-ignore format: a table

function watchRequest(_kind: FuzzKind, { collection }: Place, rng: Rng): FuzzRequest {
  const path = `${collection}?${rng.pick(WATCHES)}`;
  return { method: 'GET', path, headers: { accept: 'application/json' }, about: collection };
}

function updateRequest(kind: FuzzKind, { collection, name, metadata }: Place, rng: Rng): FuzzRequest {
  const version = rng.weighted<JsonObject>([
    [70, { resourceVersion: '@version@' }],
    [20, {}],
    [10, { resourceVersion: '1' }],
  ]);
  const uid = rng.percent(15) ? { uid: rng.pick(['@uid@', 'other']) } : {};
  const object = randomObject(kind, { ...metadata, ...version, ...uid }, rng);
  const about = `${collection}/${name}`;
  return {
    method: 'PUT',
    path: about + writeQuery(rng),
    headers: JSON_HEADERS,
    body: randomText(object, rng),
    about,
  };
}

function patchRequest(kind: FuzzKind, place: Place, rng: Rng): FuzzRequest {
  const about = `${place.collection}/${place.name}`;
  const [type, body] = randomPatch(kind, rng);
  const subresource = rng.percent(15) && kind.subresources.includes('status') ? '/status' : '';
  return {
    method: 'PATCH',
    path: about + subresource + writeQuery(rng),
    headers: { accept: 'application/json', 'content-type': `application/${type}+json` },
    body: randomText(body, rng),
    about,
  };
}

function randomPatch(kind: FuzzKind, rng: Rng): readonly [type: string, body: Json] {
  if (rng.percent(35)) return ['json-patch', Array.from({ length: 1 + rng.below(2) }, () => randomOperation(rng))];
  const whole = randomObject(kind, {}, rng);
  const { apiVersion: _, kind: __, ...part } = whole;
  const labels: JsonObject = { metadata: { labels: { app: rng.pick<Json>(['b', null, 1, 'not valid']) } } };
  const version: JsonObject = { metadata: { resourceVersion: rng.pick(['@version@', '1']) } };
  const body = rng.weighted<Json>([
    [40, part],
    [30, labels],
    [10, version],
    [8, withFault(part, rng)],
    [4, whole],
    [2, {}],
    [2, []],
  ]);
  return [rng.percent(50) ? 'merge-patch' : 'strategic-merge-patch', body];
}

const POINTERS: readonly string[] = [
  '/metadata/labels', '/metadata/labels/app', '/metadata/annotations', '/metadata/name', '/metadata/finalizers/-',
  '/metadata/finalizers/0', '/spec', '/spec/nothing', '/data/a', '/data', '/spec/replicas', '/spec/template/spec/containers/0',
  '/kind', '/status', 'spec', '', '/a~2',
]; // biome-ignore format: a table

function randomOperation(rng: Rng): JsonObject {
  const op = rng.weighted([
    [30, 'add'],
    [20, 'replace'],
    [20, 'remove'],
    [15, 'test'],
    [5, 'copy'],
    [5, 'move'],
    [5, 'merge'],
  ]);
  const path = rng.pick(POINTERS);
  const value = rng.pick<Json>(['a', 'example.com/hold', { app: 'b' }, {}, 1, null, []]);
  if (op === 'copy' || op === 'move') return { op, path, from: rng.pick(POINTERS) };
  return op === 'remove' || rng.percent(4) ? { op, path } : { op, path, value };
}

function deleteRequest(_kind: FuzzKind, { collection, name }: Place, rng: Rng): FuzzRequest {
  const about = `${collection}/${name}`;
  const query = rng.percent(25)
    ? rng.pick(['?gracePeriodSeconds=0', '?propagationPolicy=Foreground', '?dryRun=All', '?gracePeriodSeconds=x'])
    : '';
  const body = rng.percent(60) ? { body: randomText(randomDeleteOptions(rng), rng) } : {};
  return { method: 'DELETE', path: about + query, headers: JSON_HEADERS, ...body, about };
}

function randomDeleteOptions(rng: Rng): JsonObject {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(rng.percent(30) && { gracePeriodSeconds: rng.pick<Json>([0, 1, 30, -1, 'x']) }),
    ...(rng.percent(30) && { propagationPolicy: rng.pick(['Background', 'Foreground', 'Orphan', 'Bad']) }),
    ...(rng.percent(20) && {
      // No right version: the real server forgets it where it drops a finalizer first, and refuses.
      preconditions: rng.pick<Json>([{ uid: '@uid@' }, { uid: 'other' }, { resourceVersion: '1' }, {}]),
    }),
    ...(rng.percent(10) && { dryRun: rng.pick<Json>([['All'], ['Some'], []]) }),
    ...(rng.percent(5) && { orphanDependents: true }),
  };
}

function deleteAllRequest(_kind: FuzzKind, { collection }: Place, rng: Rng): FuzzRequest {
  const query = rng.pick([
    'labelSelector=app%3Db',
    'labelSelector=app+in',
    'fieldSelector=metadata.name%3Dc',
    'dryRun=All',
  ]);
  return { method: 'DELETE', path: `${collection}?${query}`, headers: JSON_HEADERS, about: collection };
}

function subresourceRequest(kind: FuzzKind, { collection, name, metadata }: Place, rng: Rng): FuzzRequest {
  const about = `${collection}/${name}`;
  const subresource = rng.percent(90) && kind.subresources.length > 0 ? rng.pick(kind.subresources) : 'nothing';
  const reads = subresource !== 'binding' && subresource !== 'eviction' && rng.percent(40);
  const path = `${about}/${subresource}`;
  if (reads) return { method: 'GET', path, headers: { accept: 'application/json' }, about };
  const method = subresource === 'binding' || subresource === 'eviction' ? 'POST' : 'PUT';
  const object = subresourceBody(subresource, kind, { ...metadata, resourceVersion: '@version@' }, rng);
  return { method, path: path + writeQuery(rng), headers: JSON_HEADERS, body: randomText(object, rng), about };
}

function subresourceBody(subresource: string, kind: FuzzKind, metadata: JsonObject, rng: Rng): JsonObject {
  const { resourceVersion: _, ...named } = metadata;
  switch (subresource) {
    case 'binding':
      return {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: named,
        target: { kind: 'Node', name: rng.pick(['a', 'b', 'Bad_Name']) },
      };
    case 'eviction':
      return { apiVersion: 'policy/v1', kind: 'Eviction', metadata: named };
    case 'scale':
      return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: rng.pick([0, 1, 5, -1]) } };
    default:
      return randomObject(kind, metadata, rng);
  }
}

/** To where nothing is, or with a method that is not for it. */
function strayRequest(kind: FuzzKind, { collection, name }: Place, rng: Rng): FuzzRequest {
  const about = `${collection}/${name}`;
  const path = rng.pick([
    `${collection}s`,
    `${about}/`,
    ...(kind.group === 'karpenter.sh' ? [] : [`${about}/status/more`]), // of custom resources, the rest is ignored
    `/apis/${kind.group || 'none'}/v9/${kind.plural}`,
    `/apis/no.such.group/v1/${kind.plural}`,
    '/api/v1/namespaces/fuzz-a',
    '/nothing',
    '/apis',
    '/version',
  ]);
  const method = rng.weighted<TransportRequest['method']>([
    [70, 'GET'],
    [10, 'POST'],
    [10, 'PUT'],
    [10, 'PATCH'],
  ]);
  return { method, path, headers: JSON_HEADERS, ...(method !== 'GET' && { body: '{}' }), about };
}

function writeQuery(rng: Rng): string {
  if (rng.percent(70)) return '';
  const common = [
    'dryRun=All',
    'fieldValidation=Strict',
    'fieldValidation=Ignore',
    'fieldValidation=Warn',
    'fieldManager=fuzz',
  ];
  return `?${rng.pick([...common, ...common, 'dryRun=Some', 'fieldValidation=Sometimes', `fieldManager=${'f'.repeat(129)}`])}`;
}

/** The JSON of a value, at times broken. */
function randomText(value: Json, rng: Rng): string {
  const text = JSON.stringify(value);
  if (rng.percent(97)) return text;
  return rng.pick([
    text.slice(0, rng.below(text.length)),
    '',
    'null',
    '[]',
    '"text"',
    `${text}}`,
    '{"kind":',
    '\u0000',
  ]);
}

function withOtherHeaders(request: FuzzRequest, rng: Rng): FuzzRequest {
  const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const accept = rng.pick([
    table,
    `${table},application/json`,
    '*/*',
    'text/html',
    'application/json;as=Nothing;g=g;v=v1',
  ]);
  const type = rng.pick(['text/plain', 'application/json; charset=utf-8', 'application/xml']);
  const headers = rng.percent(50) ? { ...request.headers, accept } : { ...request.headers, 'content-type': type };
  return { ...request, headers };
}
