import { type JsonObject, shared } from '@karpenter-ts/kubernetes';
import { type RawEvent, type TransportResponse, WholeBody } from '@karpenter-ts/runtime';
import type { Entry } from '../storage/entry.ts';
import type { Watch } from '../verbs/watch.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };
const nothing = (): void => {};

/** An answer that is one JSON value. */
export function jsonAnswer(
  status: number,
  value: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): TransportResponse {
  const body = new WholeBody(
    () => shared(value),
    () => Buffer.from(JSON.stringify(value)),
  );
  return wholeAnswer(status, body, headers);
}

/** An answer that is an object as it is stored. */
export function storedAnswer(
  status: number,
  entry: Entry,
  headers: Readonly<Record<string, string>> = {},
): TransportResponse {
  const body = new WholeBody(
    () => entry.object,
    () => entry.json,
  );
  return wholeAnswer(status, body, headers);
}

function wholeAnswer(status: number, body: WholeBody, headers: Readonly<Record<string, string>>): TransportResponse {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body, discard: nothing };
}

/** An answer in pieces that follow each other without delay. */
export function piecesAnswer(
  status: number,
  pieces: Iterable<Buffer>,
  headers: Readonly<Record<string, string>> = {},
): TransportResponse {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: inChunks(pieces), discard: nothing };
}

/** An answer that goes on for as long as there is something to say. */
export function streamAnswer(stream: Watch<Buffer>): TransportResponse {
  return { status: 200, headers: JSON_HEADERS, body: stream.body, discard: () => stream.discard() };
}

/** The same for whoever takes values. */
export function eventsAnswer(stream: Watch<readonly RawEvent[]>): TransportResponse {
  return {
    status: 200,
    headers: JSON_HEADERS,
    body: inChunks([]),
    events: stream.body,
    discard: () => stream.discard(),
  };
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
