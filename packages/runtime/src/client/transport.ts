/**
 * The purpose of a connection. Each purpose has its own pool, so that under any load of the controllers the lease is
 * renewed, watches continue and probes are answered.
 */
export type Purpose = 'requests' | 'watches' | 'lease' | 'probes';

/** One HTTP request to the API server. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query, without the server's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The connection pool to use; `requests` by default. */
  readonly purpose?: Purpose;
  readonly body?: string | Buffer;
  /**
   * The body as an object instead of bytes, if the request takes values. The server may keep it, so nobody may change
   * it afterwards.
   */
  readonly value?: unknown;
  /**
   * Called in the tick in which the request is handed to the socket. If it throws, nothing is sent. The leader fence
   * uses it to stop a former leader.
   */
  readonly beforeSend?: () => void;
  /**
   * Whether the answer may contain the server's own objects, because both are in one process. Nobody may change them.
   */
  readonly takesValues?: boolean;
}

/** A response whose header has arrived. The body must be read to the end, or `discard` called. */
export interface TransportResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
  /** The events of a watch whose request takes values, in batches as they arrive. They replace the body. */
  readonly events?: AsyncIterable<readonly RawEvent[]>;
  /** Discards the rest of the body, if any. */
  discard(): void;
}

/** One line of a watch, parsed. */
export interface RawEvent {
  readonly type: string;
  readonly object: object;
}

/** A body that is one complete JSON value. A reader that knows this class need not read it in chunks or decode it. */
export class WholeBody implements AsyncIterable<Buffer> {
  readonly value: () => unknown;
  readonly bytes: () => Buffer;

  constructor(value: () => unknown, bytes: () => Buffer) {
    this.value = value;
    this.bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    yield this.bytes();
  }
}

/** A connection to one API server, over the network or within the process. */
export interface Transport {
  /** Whether the server is in this process and answers before any time passes. Calls then need no deadline. */
  readonly answersAtOnce?: boolean;
  /** Rejects with a ConnectionError if no answer came, or with the signal's reason. The signal also ends the body. */
  send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse>;
  /** Closes idle connections and refuses later requests. */
  close(): void;
}

/** The server could not be reached, or its answer broke off. Whether a write took effect is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The system's error code, such as ECONNREFUSED; '' if there is none. */
  readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    const cause = options?.cause;
    this.code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  }
}
