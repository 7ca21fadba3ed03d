// The same requests to a real API server and to the embedded one: every answer must be the same to the letter.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Json, JsonObject } from '@karpenter-ts/apis';
import { ApiServer, MIRROR, type ScriptedRequest } from '@karpenter-ts/embedded/contract';
import {
  findConnection,
  HttpsTransport,
  inProcessTransport,
  nullLogger,
  realClock,
  type Transport,
} from '@karpenter-ts/runtime';
import { type Lab, startLab } from './lab/lab.ts';

/** Requests whose answers cannot be the same, and why. */
const EXCEPTIONS: readonly (readonly [request: string, why: string])[] = [
  ['emptyDir\\":5', 'Go names the embedded struct on the way to a field'],
  ['"data":{"a":5}', 'the answer shows the whole object, field managers and all'],
  ['"template":{"spec":{"nodeSelector"', 'the answer shows the inner form of a whole pod template'],
];

interface Answer {
  readonly code: number;
  readonly body: Json;
}

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

function essence(value: Json | undefined): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(essence);
  if (typeof value === 'string')
    return value
      .replace(UID, 'UID')
      .replace(DIFF, '')
      .replace(/\(\d+\)|current: \d+/g, '');
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value as JsonObject).filter(([key]) => !INCIDENTAL.has(key));
  return Object.fromEntries(
    entries.map(([key, member]) => [key, key === 'causes' ? unordered(member) : essence(member)]),
  );
}

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** What changed of a pod's inner form, after words that are the same. */
const DIFF = /\n(?:@@|  )[\s\S]*$|\n$/;

/** Go walks maps in any order, and says some things twice. */
function unordered(causes: Json | undefined): Json {
  const texts = ((causes ?? []) as readonly Json[]).map((cause) => JSON.stringify(essence(cause)));
  return [...new Set(texts)].sort();
}

/** The message of an invalid object only repeats its causes. */
function comparable({ code, body }: Answer): Json {
  const plain = essence(body);
  const hasCauses = code === 422 && JSON.stringify(plain).includes('"causes"');
  return { code, body: hasCauses ? { ...(plain as JsonObject), message: '' } : plain };
}

async function ask(
  transport: Transport,
  namespace: string,
  [method, path, body, contentType]: ScriptedRequest,
): Promise<Answer> {
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

describe('the embedded API server answers like a real one', () => {
  let lab: Lab;
  let real: Transport;
  const server = new ApiServer();
  const own = inProcessTransport((request, signal) => server.handle(request, signal), realClock);

  before(async () => {
    lab = await startLab({ name: `mirror-${process.pid}`, components: [] }); // nobody else may touch what is written
    const env = { KUBECONFIG: lab.kubeconfigPath };
    real = new HttpsTransport({ connection: await findConnection({ env }), clock: realClock, logger: nullLogger, env });
  });
  after(() => lab.stop());

  for (const { name, requests } of MIRROR) {
    test(`${name}: ${requests.length} requests`, async () => {
      const namespace = `mirror-${name.replaceAll(' ', '-')}`;
      const first: ScriptedRequest = ['POST', '/api/v1/namespaces', { metadata: { name: 'NS' } }];
      const differences: Error[] = [];
      for (const request of [first, ...requests]) {
        const title = JSON.stringify(request);
        const [theirs, ours] = [await ask(real, namespace, request), await ask(own, namespace, request)];
        if (EXCEPTIONS.some(([part]) => title.includes(part))) continue;
        try {
          assert.deepEqual(comparable(ours), comparable(theirs), title);
        } catch (error) {
          differences.push(error as Error);
        }
      }
      if (differences.length > 0) throw new AggregateError(differences.slice(0, 10), `${differences.length} differ`);
    });
  }
});
