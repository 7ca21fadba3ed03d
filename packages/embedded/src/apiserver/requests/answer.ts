import type { JsonObject } from '@karpenter-ts/apis';
import type { TransportResponse } from '@karpenter-ts/runtime';

const JSON_HEADERS = { 'content-type': 'application/json' };

/** An answer that is one JSON value. */
export function jsonAnswer(
  status: number,
  value: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): TransportResponse {
  return piecesAnswer(status, [Buffer.from(JSON.stringify(value))], headers);
}

/** An answer in pieces that follow each other without delay. */
export function piecesAnswer(
  status: number,
  pieces: Iterable<Buffer>,
  headers: Readonly<Record<string, string>> = {},
): TransportResponse {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: inChunks(pieces), discard: () => {} };
}

/** An answer that goes on for as long as there is something to say. */
export function streamAnswer(stream: Pick<TransportResponse, 'body' | 'discard'>): TransportResponse {
  return { status: 200, headers: JSON_HEADERS, body: stream.body, discard: () => stream.discard() };
}

const CHUNK_BYTES = 256 * 1024;

/** Small pieces together, so that a long list is not a thousand writes. */
async function* inChunks(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  let chunk: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    chunk.push(piece);
    bytes += piece.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(chunk);
    chunk = [];
    bytes = 0;
  }
  if (bytes > 0) yield chunk.length === 1 ? chunk[0]! : Buffer.concat(chunk);
}
