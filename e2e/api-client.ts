import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@karpenter-ts/apis';
import type { Lab } from './lab/lab.ts';

/** What the server said: the code, and the object or the Status. */
export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
}

/** Asks the lab's API server as admin. Every answer is returned, also a refusal. */
export async function ask(lab: Lab, method: string, path: string, body?: JsonObject): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request(
    new URL(path, lab.server),
    {
      method,
      ca: lab.caData,
      headers: { authorization: `Bearer ${lab.adminToken}`, 'content-type': 'application/json' },
    },
    (response) => {
      text(response).then(
        (answer) => resolve({ code: response.statusCode ?? 0, body: JSON.parse(answer) as JsonObject }),
        reject,
      );
    },
  );
  outgoing.on('error', reject);
  outgoing.end(body && JSON.stringify(body));
  return promise;
}
