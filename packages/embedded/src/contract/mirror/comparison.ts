import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import type { Transport } from '@karpenter-ts/runtime';
import type { Script, ScriptedRequest } from './script.ts';

/** A server's answer to a scripted request. */
interface MirrorAnswer {
  readonly code: number;
  /** Text where that is no JSON. */
  readonly body: Json;
}

/** Requests whose answers cannot be the same, and why. */
const EXCEPTIONS: readonly (readonly [request: string, why: string])[] = [
  ['emptyDir\\":5', 'Go names the embedded struct on the way to a field'],
  ['"data":{"a":5}', 'the answer shows the whole object, field managers and all'],
  ['"template":{"spec":{"nodeSelector"', 'the answer shows the inner form of a whole pod template'],
];

/** What differs from server to server and from moment to moment. */
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

/** Runs a script on a server, in a namespace that it makes, and returns what can be compared of each answer. */
export async function runScript(script: Script, transport: Transport): Promise<readonly (readonly [string, Json])[]> {
  const namespace = `mirror-${script.name.replaceAll(' ', '-')}`;
  const first: ScriptedRequest = ['POST', '/api/v1/namespaces', { metadata: { name: 'NS' } }];
  const answers: (readonly [string, Json])[] = [];
  for (const request of [first, ...script.requests]) {
    const title = JSON.stringify(request);
    const answer = await ask(transport, namespace, request);
    if (!EXCEPTIONS.some(([part]) => title.includes(part))) answers.push([title, comparable(asBlamed(answer))]);
  }
  return answers;
}

/** A fingerprint of what can be compared of an answer, to tell without the real server whether ours is the same. */
export function digestOf(answer: Json): string {
  return createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 8);
}

async function ask(
  transport: Transport,
  namespace: string,
  [method, path, body, contentType]: ScriptedRequest,
): Promise<MirrorAnswer> {
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

/** Where the real server takes a mistake of the client for its own, ours says the same but blames the client. */
function asBlamed({ code, body }: MirrorAnswer): MirrorAnswer {
  if (code !== 500) return { code, body };
  return { code: 400, body: { ...(body as JsonObject), code: 400, reason: 'BadRequest' } };
}

/** The message of an invalid object only repeats its causes. */
function comparable({ code, body }: MirrorAnswer): Json {
  const plain = essence(body);
  const hasCauses = code === 422 && JSON.stringify(plain).includes('"causes"');
  return { code, body: hasCauses ? { ...(plain as JsonObject), message: '' } : plain };
}

/** Without what is incidental, and in one order. */
function essence(value: Json | undefined): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(essence);
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
    return [key, key === 'causes' ? unordered(member) : essence(member)];
  });
  return Object.fromEntries(entries);
}

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** What changed of a pod's inner form, after words that are the same. */
const DIFF = /\n(?:@@|  )[\s\S]*$|\n$/;

/** Go walks maps in any order, and says some things twice. */
function unordered(causes: Json | undefined): Json {
  const texts = ((causes ?? []) as readonly Json[]).map((cause) => JSON.stringify(essence(cause)));
  return [...new Set(texts)].sort();
}
