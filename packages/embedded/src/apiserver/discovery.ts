import type { JsonObject } from '@karpenter-ts/kubernetes';
import { findBuiltin } from './kinds/builtin.ts';
import { apiVersionOf, type ServedResource, type Subresource } from './resources.ts';

/** The server's version. Kubernetes' tools switch features by it. */
const SERVER_VERSION = {
  major: '1',
  minor: '35',
  gitVersion: 'v1.35.4+karpenter-ts',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** A response of the discovery API. */
export interface DiscoveryAnswer {
  readonly contentType: string;
  readonly body: JsonObject;
}

/**
 * Answers `/version`, `/api`, `/apis` and the paths of groups and versions below them; undefined for any other path and
 * for what is not served. `/api` and `/apis` answer in the aggregated form when the Accept header puts it first.
 */
export function discover(
  resources: readonly ServedResource[],
  path: string,
  accept: string = '',
): DiscoveryAnswer | undefined {
  const [root, ...rest] = path.split('/').filter((segment) => segment !== '');
  if (root === 'version' && rest.length === 0) return plain(SERVER_VERSION);
  if (root !== 'api' && root !== 'apis') return undefined;
  const served = resources.filter(({ group }) => (group === '') === (root === 'api'));
  if (rest.length === 0 && prefersAggregated(accept)) return { contentType: AGGREGATED, body: aggregate(served) };
  if (root === 'api') return rest.length === 0 ? plain(coreVersions(served)) : resourceList(served, ['', ...rest]);
  if (rest.length === 0)
    return plain({ kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(served).map(describe) });
  return rest.length === 1 ? groupAnswer(served, rest[0]!) : resourceList(served, rest);
}

const plain = (body: JsonObject): DiscoveryAnswer => ({ contentType: 'application/json', body });

function prefersAggregated(accept: string): boolean {
  for (const range of accept.split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    const isJson = type === 'application/json' || type === 'application/*' || type === '*/*';
    const asked = AGGREGATED.split(';').slice(1);
    if (isJson && asked.every((parameter) => parameters.includes(parameter))) return true;
    if (isJson && !parameters.some((parameter) => parameter.startsWith('as='))) return false;
  }
  return false;
}

interface Group {
  readonly name: string;
  /** Most stable first. */
  readonly versions: readonly string[];
  readonly resources: readonly ServedResource[];
}

function groupsOf(resources: readonly ServedResource[]): readonly Group[] {
  const byName = Map.groupBy(resources, ({ group }) => group);
  return [...byName].map(([name, members]) => ({
    name,
    versions: [...new Set(members.map(({ version }) => version))].sort(byStability),
    resources: members.toSorted((a, b) => (a.plural < b.plural ? -1 : 1)),
  }));
}

/** `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`, then what has no such form. */
function byStability(a: string, b: string): number {
  const left = rankOf(a);
  const right = rankOf(b);
  for (const [i, rank] of left.entries()) if (rank !== right[i]) return right[i]! - rank;
  return a < b ? -1 : 1;
}

function rankOf(version: string): readonly number[] {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return [-1, 0, 0];
  return [stage === undefined ? 2 : stage === 'beta' ? 1 : 0, Number(major), Number(minor ?? 0)];
}

function coreVersions(resources: readonly ServedResource[]): JsonObject {
  const versions = groupsOf(resources).flatMap((group) => group.versions);
  return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [] };
}

function groupAnswer(resources: readonly ServedResource[], name: string): DiscoveryAnswer | undefined {
  const group = groupsOf(resources).find((candidate) => candidate.name === name);
  return group && plain({ kind: 'APIGroup', apiVersion: 'v1', ...describe(group) });
}

function describe({ name, versions }: Group): JsonObject {
  const described = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: described, preferredVersion: described[0] };
}

function resourceList(
  resources: readonly ServedResource[],
  [group, version, ...rest]: readonly string[],
): DiscoveryAnswer | undefined {
  const members = resources.filter((resource) => resource.group === group && resource.version === version);
  const [first] = members;
  if (first === undefined || rest.length > 0) return undefined;
  const entries = members.flatMap((resource) => [
    describeResource(resource),
    ...resource.subresources.map((subresource) => describeSubresource(resource, subresource)),
  ]);
  return plain({
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(first),
    resources: entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
  });
}

function describeResource({ plural, singular, namespaced, kind, verbs, shortNames, categories }: ServedResource) {
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
}

function describeSubresource(resource: ServedResource, { name, group, version, kind, verbs }: Subresource) {
  const isForeign = group !== resource.group || version !== resource.version;
  return {
    name: `${resource.plural}/${name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(isForeign && { group, version }),
    kind,
    verbs,
  };
}

function aggregate(resources: readonly ServedResource[]): JsonObject {
  const items = groupsOf(resources).map((group) => ({
    metadata: group.name === '' ? {} : { name: group.name },
    versions: group.versions.map((version) => ({
      version,
      resources: group.resources.filter((resource) => resource.version === version).map(aggregateResource),
      freshness: 'Current',
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function aggregateResource(resource: ServedResource): JsonObject {
  const { plural, singular, namespaced, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: responseKind(resource, resource),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((subresource) => ({
        subresource: subresource.name,
        responseKind: responseKind(resource, subresource),
        verbs: subresource.verbs,
      })),
    }),
  };
}

/** For built-in kinds, group and version are left out where they equal the parent's. */
function responseKind(
  owner: ServedResource,
  { group, version, kind }: Omit<Subresource, 'name' | 'verbs'>,
): JsonObject {
  const isOwn = group === owner.group && version === owner.version;
  const isImplied = isOwn && findBuiltin(owner.group, owner.version, owner.plural) !== undefined;
  return isImplied ? { group: '', version: '', kind } : { group, version, kind };
}
