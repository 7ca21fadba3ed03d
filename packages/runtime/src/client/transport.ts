/**
 * For what a connection is used. Requests of one purpose wait for no connection of another: whatever load the
 * controllers make, the lease is renewed, watches go on and probes are answered.
 */
export type Purpose = 'requests' | 'watches' | 'lease' | 'probes';

/** One HTTP request to the API server. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query, without the server's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whose connections it uses; those of `requests` unless given. */
  readonly purpose?: Purpose;
  readonly body?: string | Buffer;
  /** The body, not encoded, of a request that takes values. The server may keep it: nobody may change it afterwards. */
  readonly value?: unknown;
  /**
   * Called in the tick in which the request is handed to the socket, once the socket is ready. What it throws is the
   * outcome, and nothing is sent: a leader proves here that it still is one.
   */
  readonly beforeSend?: () => void;
  /** Whether the answer may hold the server's own values, as both are in one process. Nobody may change them. */
  readonly takesValues?: boolean;
}

/** An answer whose head has arrived. The body must be read to its end, or `discard` called. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
  /** Of a watch whose request takes values: its events as they come, several at a time, instead of the body. */
  readonly events?: AsyncIterable<readonly RawEvent[]>;
  /** Gives up the rest of the body. Harmless afterwards. */
  discard(): void;
}

/** What a line of a watch says. */
export interface RawEvent {
  readonly type: string;
  readonly object: object;
}

/** A body that is one JSON value and all here: who knows it need not read it piece by piece, or not even decode it. */
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

/** The way to one API server: over the network, or straight into the process. */
export interface Transport {
  /** Whether the server is in this process, and answers before any time can pass: then no call needs a deadline. */
  readonly answersAtOnce?: boolean;
  /** Rejects with a ConnectionError when no answer came, or with the signal's reason. The signal also ends the body. */
  send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse>;
  /** Ends idle connections and refuses later requests. */
  close(): void;
}

/** The server could not be asked, or its answer broke off: whether a write took effect is not known. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The system's word for it, such as ECONNREFUSED; '' when there is none. */
  readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    const cause = options?.cause;
    this.code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  }
}
