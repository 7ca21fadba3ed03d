import type { TransportRequest, TransportResponse } from '@karpenter-ts/runtime';

/** `swagger: "2.0"` as protobuf writes it: field 1, three bytes of text. */
const EMPTY_DOCUMENT = Buffer.from('\x0a\x032.0', 'latin1');

/**
 * Answers `/openapi/v2`. When OpenAPI v3 does not know a kind, kubectl asks for this older document, which it takes in
 * protobuf only. An empty one lets it go on to tell its user that the kind is not there, instead of that it could not
 * check the manifest.
 */
export function findOpenApiV2({ method, path }: TransportRequest): TransportResponse | undefined {
  if (method !== 'GET' || path.split('?')[0] !== '/openapi/v2') return undefined;
  return {
    status: 200,
    headers: { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
    body: once(EMPTY_DOCUMENT),
    discard: () => {},
  };
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
