import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import type { Lab } from './lab/lab.ts';

/** A response: the status code, and the object or Status. */
export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
}

const TIMEOUT_MS = 30_000;

/**
 * Sends a request to the lab's API server as admin. Errors are returned like any other response; a body that is not
 * JSON is empty.
 */
export async function ask(lab: Lab, method: string, path: string, body?: JsonObject): Promise<Answer> {
  const outgoing = request(new URL(path, lab.server), {
    method,
    ca: lab.caData,
    headers: { authorization: `Bearer ${lab.adminToken}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  outgoing.end(body && JSON.stringify(body));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const answer = await text(response);
  const isJson = response.headers['content-type']?.startsWith('application/json') === true;
  return { code: response.statusCode ?? 0, body: isJson ? (JSON.parse(answer) as JsonObject) : {} };
}
