import { badRequest, unknownPath } from '../status.ts';

/** Where a request goes. */
export type Route =
  | { readonly to: 'resource'; readonly target: Target; readonly query: URLSearchParams }
  | { readonly to: 'document'; readonly path: string; readonly query: URLSearchParams };

/** A resource, one of its objects, or a part of one. */
export interface Target {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

const NO_QUERY = new URLSearchParams(); // only ever read

/** Most paths come again and again: those of leases, every ten seconds. */
const REMEMBERED = 4_096;
const remembered = new Map<string, Route>();

/** Takes a path with its query apart. Throws an ApiError for one that leads nowhere. */
export function parseRoute(path: string): Route {
  const known = remembered.get(path);
  if (known !== undefined) return known;
  const mark = path.indexOf('?');
  if (mark >= 0) return routeOf(path.slice(0, mark), new URLSearchParams(path.slice(mark)));
  const route = routeOf(path, NO_QUERY);
  if (remembered.size === REMEMBERED) remembered.delete(remembered.keys().next().value!); // the oldest
  remembered.set(path, route);
  return route;
}

function routeOf(path: string, query: URLSearchParams): Route {
  const plain = decode(path).replace(/\/$/, '');
  const [, root, ...segments] = plain.split('/');
  const depth = root === 'api' ? 1 : root === 'apis' ? 2 : undefined;
  if (depth === undefined || segments.length <= depth) return { to: 'document', path: plain, query };
  const group = root === 'api' ? '' : segments[0]!;
  const version = segments[depth - 1]!;
  return { to: 'resource', target: { group, version, ...placeOf(group, segments.slice(depth)) }, query };
}

type Place = Pick<Target, 'plural' | 'namespace' | 'name' | 'subresource'>;

/** Namespaces are a resource as well as a part of other paths: these are theirs. */
const NAMESPACE_PARTS: ReadonlySet<string> = new Set(['status', 'finalize']);

function placeOf(group: string, segments: readonly string[]): Place {
  const [first, second, third] = segments;
  const isInNamespace =
    first === 'namespaces' &&
    third !== undefined &&
    !(group === '' && segments.length === 3 && NAMESPACE_PARTS.has(third));
  const namespace = isInNamespace ? second : undefined;
  const [plural, name, subresource, ...rest] = isInNamespace ? segments.slice(2) : segments;
  if (rest.length > 0 || !plural || name === '' || namespace === '') throw unknownPath();
  return { plural, namespace, name, subresource };
}

/** Before the path is taken apart: as for the real server, an escaped slash is a slash. */
function decode(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest(`invalid URL escape in path: ${path}`);
  }
}
