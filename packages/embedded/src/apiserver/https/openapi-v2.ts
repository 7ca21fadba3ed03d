import type { TransportRequest, TransportResponse } from '@karpenter-ts/runtime';

/** `swagger: "2.0"` as protobuf writes it: field 1, three bytes of text. */
const EMPTY_DOCUMENT = Buffer.from('\x0a\x032.0', 'latin1');

/**
 * Answers `/openapi/v2` with an empty document. kubectl asks for it, in protobuf, when OpenAPI v3 does not have a kind.
 * Without an answer it would report that the manifest cannot be validated, instead of that the kind does not exist.
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
