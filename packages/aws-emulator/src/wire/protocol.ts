import type { ApiError } from './api-error.ts';
import type { WireRequest, WireResponse } from './message.ts';

/** Which operation a request asks for. */
export interface Asked {
  readonly operation: string;
  /** Reads the input. Throws an ApiError for one that does not fit the operation. */
  input(): object;
}

/** How the operations of a service are called, answered and refused on the wire. */
export interface Protocol {
  /** Throws an ApiError for a request that names no operation. */
  read(request: WireRequest): Asked;
  answer(operation: string, output: object, requestId: string): WireResponse;
  refusal(error: ApiError, requestId: string): WireResponse;
}
