import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { acceptsGzip, negotiatePage } from './content-negotiation.ts';
import type { Metrics } from './registry.ts';

/** Pages repeat themselves so much that more effort gains little. */
const GZIP = { level: constants.Z_BEST_SPEED };

/**
 * Answers a scrape: plain text or OpenMetrics, gzipped if the client takes it. No faster than the client reads, so a
 * slow one costs no memory; one that goes away ends the work. Never throws.
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
    response.destroy(); // the client went away: a cut page is all it can get
  }
}
