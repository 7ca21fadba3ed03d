import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { acceptsGzip, negotiatePage } from './content-negotiation.ts';
import type { Metrics } from './registry.ts';

/** Metrics pages are so repetitive that a higher level saves little. */
const GZIP = { level: constants.Z_BEST_SPEED };

/**
 * Answers a scrape in plain text or OpenMetrics, gzipped if the client accepts it. Rendering waits for a slow client,
 * so that it costs no memory, and ends when the client disconnects. Never throws.
 */
export async function serveMetrics(
  metrics: Metrics,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { format, contentType } = negotiatePage(request.headers.accept);
  const isGzipped = acceptsGzip(request.headers['accept-encoding']?.toString());
  response.writeHead(200, { 'content-type': contentType, ...(isGzipped ? { 'content-encoding': 'gzip' } : {}) });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const page = Readable.from(metrics.render(format), { highWaterMark: 1 });
  try {
    await (isGzipped ? pipeline(page, createGzip(GZIP), response) : pipeline(page, response));
  } catch {
    response.destroy(); // the client has disconnected
  }
}
