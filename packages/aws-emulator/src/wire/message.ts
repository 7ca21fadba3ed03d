// Requests and responses as they are on the wire, whatever carries them.

export interface WireRequest {
  readonly method: string;
  /** With the query string, if there is one. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** More was to come: the caller sees the connection break. */
  readonly isCut?: true;
}

/** The connection broke before the response was complete: what a caller without sockets gets in place of a reset. */
export class ConnectionResetError extends Error {
  override readonly name = 'ConnectionResetError';
  readonly code = 'ECONNRESET';

  constructor() {
    super('the connection was reset');
  }
}
