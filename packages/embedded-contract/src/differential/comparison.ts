import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import type { Transport } from '@karpenter-ts/runtime';
import type { Script, ScriptedRequest } from './script.ts';

/** A server's answer to a scripted request. */
interface ScriptAnswer {
  readonly code: number;
  /** Text where that is no JSON. */
  readonly body: Json;
}

/** Requests whose answers are not compared, and the reason. */
const EXCEPTIONS: readonly (readonly [request: string, why: string])[] = [
  ['emptyDir\\":5', 'Go names the embedded struct on the way to a field'],
  ['"data":{"a":5}', 'the answer shows the whole object, field managers and all'],
  ['"template":{"spec":{"nodeSelector"', 'the answer shows the inner form of a whole pod template'],
];

/** Fields that differ from server to server, or from run to run. */
const INCIDENTAL: ReadonlySet<string> = new Set([
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'managedFields',
  'resourceVersion',
  'lastTransitionTime',
  'lastPhaseTransitionTime',
  'clusterIP',
  'clusterIPs',
  'serviceAccount', // the lab has that plugin off
  'serviceAccountName',
]);

/** Runs a script on a server, in a new namespace, and returns the comparable part of each answer. */
export async function runScript(script: Script, transport: Transport): Promise<readonly (readonly [string, Json])[]> {
  // The prefix is part of the answers, and so of the recorded digests.
  const namespace = `mirror-${script.name.replaceAll(' ', '-')}`;
  const first: ScriptedRequest = ['POST', '/api/v1/namespaces', { metadata: { name: 'NS' } }];
  const answers: (readonly [string, Json])[] = [];
  for (const request of [first, ...script.requests]) {
    const title = JSON.stringify(request);
    const answer = await ask(transport, namespace, request);
    if (!EXCEPTIONS.some(([part]) => title.includes(part))) answers.push([title, comparable(asClientError(answer))]);
  }
  return answers;
}

/** A short hash of the comparable part of an answer: with it, a run without the real server can compare too. */
export function digestOf(answer: Json): string {
  return createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 8);
}

async function ask(
  transport: Transport,
  namespace: string,
  [method, path, body, contentType]: ScriptedRequest,
): Promise<ScriptAnswer> {
  const inPlace = (text: string): string => text.replaceAll('NS', namespace);
  const sent = body === undefined ? undefined : inPlace(typeof body === 'string' ? body : JSON.stringify(body));
  const response = await transport.send({
    method,
    path: inPlace(path),
    headers: { accept: 'application/json', 'content-type': contentType ?? 'application/json' },
    ...(sent !== undefined && { body: sent }),
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { code: response.status, body: text.startsWith('{') ? (JSON.parse(text) as Json) : text };
}

/** Where the real server answers a bad request with 500, ours gives the same message with 400. */
function asClientError({ code, body }: ScriptAnswer): ScriptAnswer {
  if (code !== 500) return { code, body };
  return { code: 400, body: { ...(body as JsonObject), code: 400, reason: 'BadRequest' } };
}

/** Clears the message of an invalid object, which only repeats its causes. */
function comparable({ code, body }: ScriptAnswer): Json {
  const plain = withoutIncidental(body);
  const hasCauses = code === 422 && JSON.stringify(plain).includes('"causes"');
  return { code, body: hasCauses ? { ...(plain as JsonObject), message: '' } : plain };
}

/** Drops incidental fields and sorts the rest. */
function withoutIncidental(value: Json | undefined): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutIncidental);
  if (typeof value === 'string') {
    return value
      .replace(UID, 'UID')
      .replace(DIFF, '')
      .replace(/\(\d+\)|current: \d+/g, '');
  }
  if (typeof value !== 'object' || value === null) return value ?? null;
  const names = Object.keys(value).filter((key) => !INCIDENTAL.has(key));
  const entries = names.sort().map((key): [string, Json] => {
    const member = (value as JsonObject)[key];
    return [key, key === 'causes' ? unordered(member) : withoutIncidental(member)];
  });
  return Object.fromEntries(entries);
}

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The diff of the internal form of a pod that follows an otherwise equal message. */
const DIFF = /\n(?:@@|  )[\s\S]*$|\n$/;

/** Sorts the causes and drops repeated ones: Go walks maps in random order and reports some causes twice. */
function unordered(causes: Json | undefined): Json {
  const texts = ((causes ?? []) as readonly Json[]).map((cause) => JSON.stringify(withoutIncidental(cause)));
  return [...new Set(texts)].sort();
}
