import type { TransportRequest, TransportResponse } from '@karpenter-ts/runtime';
import { discover } from '../discovery.ts';
import { openApi } from '../openapi/openapi.ts';
import type { ServedResource } from '../resources.ts';
import { ApiError, methodNotAllowed, unknownMediaType, unknownPath } from '../status.ts';
import { jsonAnswer } from './answer.ts';
import { mediaType } from './bodies.ts';
import { requireAcceptable } from './negotiation.ts';

const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);

/** Documents that can only be read. Others are given to whoever asks, however he does. */
const READ_ONLY = /^\/(?:version|api|api\/.*|apis\/[^/]+\/.*)$/;

/** Asked of a request even where it has no body. */
const BODY_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
]);

/** What is not about a resource: discovery, schemas, health. Throws an ApiError. */
export function documentAnswer(
  resources: readonly ServedResource[],
  request: TransportRequest,
  path: string,
): TransportResponse {
  const { accept } = request.headers;
  const found = discover(resources, path, accept);
  const schema = found ? undefined : openApi(resources, path);
  if (!found && !schema && !HEALTH.has(path)) throw unknownPath();
  if (READ_ONLY.test(path)) {
    if (request.method !== 'GET') throw methodNotAllowed();
    if (!BODY_TYPES.has(mediaType(request))) throw unknownMediaType();
  }
  if (schema) return jsonAnswer(200, schema);
  if (!found) return { ...jsonAnswer(200, {}), headers: { 'content-type': 'text/plain; charset=utf-8' }, body: ok() };
  requireAcceptable(accept);
  if (path !== '/version') requireKnownForm(accept);
  return jsonAnswer(200, found.body, { 'content-type': found.contentType });
}

/** Lists of what is served come as they are, or aggregated. */
function requireKnownForm(accept: string | undefined): void {
  const isKnown = (range: string): boolean => !/;\s*as=/.test(range) || /;\s*as=APIGroupDiscoveryList/.test(range);
  if (accept && !accept.split(',').some(isKnown)) throw new ApiError(406, 'NotAcceptable', NOT_ACCEPTABLE);
}

const NOT_ACCEPTABLE =
  'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';

async function* ok(): AsyncGenerator<Buffer> {
  yield Buffer.from('ok');
}
