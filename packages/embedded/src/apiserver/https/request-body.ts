import type { IncomingMessage } from 'node:http';
import { ApiError } from '../status.ts';

/** The largest request body, as in the real server. */
const MAX_BYTES = 3 * 1024 * 1024;
/** A client whose connection is closed does not see why, so a larger body is read to its end, up to this size. */
const MAX_READ_BYTES = 10 * MAX_BYTES;

const NOTHING = Buffer.alloc(0);

/**
 * Reads the body of a request; empty if there is none. Rejects with an ApiError if it is too large, and with the
 * stream's error if the client disconnects. It uses stream events, because iterating over the stream costs more than
 * the rest of a small request.
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    return Promise.resolve(NOTHING);
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= MAX_BYTES) chunks.push(chunk);
      else if (size > MAX_READ_BYTES) end();
    };
    const end = (): void => {
      request.off('data', take).pause();
      if (size > MAX_BYTES) reject(tooLarge());
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    };
    request.on('data', take).on('end', end).on('error', reject);
  });
}

const tooLarge = (): ApiError =>
  new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BYTES}`);
