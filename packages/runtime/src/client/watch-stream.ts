import { type ApiObject, parseExactJson } from '@karpenter-ts/kubernetes';
import { withoutManagedFields } from './managed-fields.ts';
import { statusErrorOfEvent } from './status-error.ts';
import { ConnectionError, type TransportResponse } from './transport.ts';

/** A change of an object, or a bookmark. ERROR events are not included, because they are thrown. */
export type WatchEvent<T extends ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: Bookmark };

/** A resource version, and whether the initial list of a streamed watch is complete with it. */
export interface Bookmark {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** True for the bookmark that ends the initial list of a watch with `sendInitialEvents`. */
export function endsInitialEvents(bookmark: Bookmark): boolean {
  return bookmark.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}

/**
 * Yields the events of a watch in batches as they arrive. Throws a StatusError for an ERROR event and a ConnectionError
 * for an invalid line: nothing after either can be trusted. An incomplete last line is dropped.
 */
export async function* readEvents<T extends ApiObject>(
  { body, events }: Pick<TransportResponse, 'body' | 'events'>,
  managedFields: 'keep' | 'drop' = 'keep',
): AsyncGenerator<readonly WatchEvent<T>[]> {
  const decode = (line: string): Parsed => parse(managedFields === 'keep' ? line : withoutManagedFields(line));
  for await (const batch of events ?? readLines(body)) {
    const known: WatchEvent<T>[] = [];
    try {
      for (const one of batch) known.push(checked<T>(typeof one === 'string' ? decode(one) : one));
    } catch (error) {
      if (known.length > 0) yield known;
      throw error;
    }
    yield known;
  }
}

/** Yields the lines that are complete after each chunk, except empty ones. */
async function* readLines(body: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  const splitter = new LineSplitter();
  for await (const chunk of body) {
    const lines = splitter.push(chunk).filter((line) => line.length > 0);
    if (lines.length > 0) yield lines;
  }
}

interface Parsed {
  readonly type?: unknown;
  readonly object?: unknown;
}

function checked<T extends ApiObject>(event: Parsed): WatchEvent<T> {
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return event as WatchEvent<T>;
    case 'ERROR':
      throw statusErrorOfEvent(event.object);
    default:
      throw new ConnectionError('the watch sent a line that is no event');
  }
}

function parse(line: string): Parsed {
  try {
    const event = parseExactJson(line);
    return typeof event === 'object' && event !== null && 'object' in event && event.object !== null ? event : {};
  } catch (cause) {
    throw new ConnectionError('the watch sent a malformed line', { cause });
  }
}

const NEWLINE = 0x0a;
/** More than ten times the largest object that an API server stores. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Splits bytes into lines. Only whole lines are decoded, because a chunk may end inside a character. */
export class LineSplitter {
  #rest: Buffer[] = []; // the bytes since the last newline
  #restBytes = 0;

  /**
   * Returns the lines that this chunk completes, without newlines. Throws a ConnectionError if a line becomes too long.
   */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(this.#complete(chunk, start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(part: Buffer): void {
    this.#rest.push(part);
    this.#restBytes += part.length;
    if (this.#restBytes > MOST_BYTES) throw new ConnectionError('the watch sent a line of more than 32 MiB');
  }

  #complete(chunk: Buffer, start: number, end: number): string {
    if (this.#rest.length === 0) return chunk.toString('utf8', start, end);
    const whole = Buffer.concat([...this.#rest, chunk.subarray(start, end)]);
    this.#rest = [];
    this.#restBytes = 0;
    return whole.toString('utf8');
  }
}
