import type { TransportResponse } from '@karpenter-ts/runtime';

/** How a request of the operator may fail. */
export type ApiFault =
  /** 500, and nothing is done. */
  | 'error'
  /** 409, as if somebody else had been quicker. */
  | 'conflict'
  /** 429 with a time to wait. */
  | 'throttle'
  /** The connection breaks before the request is read. */
  | 'refuse'
  /** The request is carried out, and the connection breaks before the answer. */
  | 'lose'
  /** Nothing happens for some seconds; then the request is carried out. */
  | 'delay'
  /** The request arrives twice, as through a proxy that tries again; the second answer is the one that comes back. */
  | 'repeat';

export const API_FAULTS: readonly ApiFault[] = ['error', 'conflict', 'throttle', 'refuse', 'lose', 'delay', 'repeat'];

const REASONS = { 409: 'Conflict', 429: 'TooManyRequests', 500: 'InternalError' } as const;

/** The answer of an API server that does nothing. */
export function refusal(code: keyof typeof REASONS): TransportResponse {
  const reason = REASONS[code];
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: 'refused by the world' };
  return {
    status: code,
    headers: { 'content-type': 'application/json', ...(code === 429 && { 'retry-after': '1' }) },
    body: (async function* () {
      yield Buffer.from(JSON.stringify(status));
    })(),
    discard: () => undefined,
  };
}
