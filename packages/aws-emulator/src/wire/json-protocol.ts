import { ApiError } from './api-error.ts';
import type { WireRequest, WireResponse } from './message.ts';
import type { Asked, Protocol } from './protocol.ts';

/** The protocol of SSM and Pricing (1.1) and of SQS (1.0): the operation is named by a header, JSON goes in and out. */
export function jsonProtocol(version: '1.0' | '1.1'): Protocol {
  const headers = { 'content-type': `application/x-amz-json-${version}` };
  return {
    read: (request: WireRequest): Asked => {
      const operation = (request.headers['x-amz-target'] ?? '').split('.').at(-1)!;
      if (operation === '') throw new ApiError('UnknownOperationException', 'The request names no operation');
      return { operation, input: () => parseJson(request.body) };
    },
    answer: (_operation, output): WireResponse => ({ status: 200, headers, body: toJson(output) }),
    refusal: ({ code, message, status, queryCode }): WireResponse => ({
      status,
      headers: {
        ...headers,
        ...(queryCode && { 'x-amzn-query-error': `${queryCode};${status < 500 ? 'Sender' : 'Receiver'}` }),
      },
      body: JSON.stringify({ __type: code, message }),
    }),
  };
}

/** Reads a body of JSON; an empty one is an empty object. */
export function parseJson(body: string): object {
  try {
    const value: unknown = body === '' ? {} : JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // said below
  }
  throw new ApiError('SerializationException', 'The body is not a JSON object');
}

/** JSON as AWS writes it: times are seconds since the epoch. */
export function toJson(output: object): string {
  return JSON.stringify(output, function replace(this: Readonly<Record<string, unknown>>, key, value: unknown) {
    const original = this[key];
    return original instanceof Date ? original.getTime() / 1000 : value;
  });
}
