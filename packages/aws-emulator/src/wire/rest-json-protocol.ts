import { ApiError } from './api-error.ts';
import { parseJson, toJson } from './json-protocol.ts';
import type { WireRequest, WireResponse } from './message.ts';
import type { Asked, Protocol } from './protocol.ts';

/** Where an operation is found, such as GET `/clusters/{name}`. What stands for a part in braces goes into the input. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
}

const HEADERS = { 'content-type': 'application/json' };

/** The protocol of EKS and ARC: path, query and body together are the input. */
export function restJsonProtocol(routes: readonly Route[]): Protocol {
  return {
    read: (request: WireRequest): Asked => {
      const [path = '', query = ''] = request.path.split('?', 2);
      for (const route of routes) {
        const labels = route.method === request.method ? labelsIn(path, route.path) : undefined;
        if (labels === undefined) continue;
        const parameters = Object.fromEntries(new URLSearchParams(query));
        return { operation: route.operation, input: () => ({ ...parseJson(request.body), ...parameters, ...labels }) };
      }
      throw new ApiError('UnknownOperationException', `nothing is at ${request.method} ${path}`, { status: 404 });
    },
    answer: (_operation, output): WireResponse => ({ status: 200, headers: HEADERS, body: toJson(output) }),
    refusal: ({ code, message, status }): WireResponse => ({
      status,
      headers: { ...HEADERS, 'x-amzn-errortype': code },
      body: JSON.stringify({ message }),
    }),
  };
}

/** What stands for the parts in braces; undefined if the path is another. A label may be a whole encoded ARN. */
function labelsIn(path: string, pattern: string): Readonly<Record<string, string>> | undefined {
  const [given, wanted] = [path.split('/'), pattern.split('/')];
  if (given.length !== wanted.length) return undefined;
  const labels: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith('{')) labels[part.slice(1, -1)] = decodeURIComponent(given[index]!);
    else if (part !== given[index]) return undefined;
  }
  return labels;
}
