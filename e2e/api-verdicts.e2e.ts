// The same objects, asked of a real API server and of our validator: code, causes and defaulted object must be equal.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Admission,
  admit,
  admitStatus,
  customResourceDefinition,
  type Flavour,
  type Resource,
  RESOURCES,
} from '@karpenter-ts/apis';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { ADMISSION_CASES, variant } from '@karpenter-ts/apis/testing';
import { type Answer, ask } from './api-client.ts';
import { openLab } from './lab/lab.ts';
import { mutate, randomFrom } from './random-objects.ts';

const lab = openLab();
const FLAVOURS: readonly Flavour[] = ['core', 'kwok', 'aws'];
const RANDOM_OBJECTS = Number(process.env['KARPENTER_RANDOM_OBJECTS'] ?? 400);
const SEED = Number(process.env['KARPENTER_SEED'] ?? 20261116);

function resourceOf(object: JsonObject, flavour: Flavour): Resource {
  const found = RESOURCES[flavour].find(({ kind }) => kind === object['kind']);
  assert.ok(found);
  return found;
}

function pathOf({ group, version, plural, scope }: Resource, name = ''): string {
  const namespace = scope === 'Namespaced' ? '/namespaces/default' : '';
  return `/apis/${group}/${version}${namespace}/${plural}${name && `/${name}`}`;
}

const DRY_RUN = '?dryRun=All&fieldValidation=Strict';

/** What both say of an object, in one comparable form. */
interface Verdict {
  readonly code: number;
  readonly causes: readonly string[];
  readonly text: string;
  readonly object: JsonObject | undefined;
}

function serverVerdict({ code, body }: Answer): Verdict {
  if (code < 300) return { code: 200, causes: [], text: '', object: withoutServerFields(body) };
  const { causes = [] } = (body['details'] ?? {}) as {
    causes?: readonly { reason: string; field: string; message: string }[];
  };
  const texts = causes.map(({ reason, field, message }) => `${reason} ${field}: ${message}`);
  return { code, causes: texts.sort(), text: code === 422 ? '' : (body['message'] as string), object: undefined };
}

function ourVerdict(admission: Admission): Verdict {
  if (admission.verdict === 'admitted') {
    return { code: 200, causes: [], text: '', object: withoutServerFields(admission.object) };
  }
  const { code, causes, message } = admission;
  const texts = causes.map(({ reason, field, message: text }) => `${reason} ${field}: ${text}`);
  return { code, causes: [...new Set(texts)].sort(), text: code === 422 ? '' : message, object: undefined };
}

function withoutServerFields(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  const { name, generateName, labels, annotations, finalizers, ownerReferences } = metadata as JsonObject;
  const own = { name: generateName ? undefined : name, generateName, labels, annotations, finalizers, ownerReferences };
  return JSON.parse(JSON.stringify({ ...rest, metadata: own })) as JsonObject;
}

async function compareCreate(object: JsonObject, flavour: Flavour): Promise<Verdict> {
  const resource = resourceOf(object, flavour);
  const server = serverVerdict(await ask(lab, 'POST', pathOf(resource) + DRY_RUN, object));
  assert.deepEqual(ourVerdict(admit(object, resource)), server, JSON.stringify(object));
  return server;
}

async function install(flavour: Flavour): Promise<void> {
  for (const resource of RESOURCES[flavour]) {
    const crd = customResourceDefinition(resource);
    let answer = await put(resource, crd);
    while (answer.code === 409) answer = await put(resource, crd); // the server has just written its status
    assert.ok(answer.code < 300, JSON.stringify(answer.body));
  }
  await untilServed(flavour);
}

async function put({ plural, group }: Resource, crd: JsonObject): Promise<Answer> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const found = await ask(lab, 'GET', `${path}/${plural}.${group}`);
  if (found.code === 404) return ask(lab, 'POST', path, crd);
  const { resourceVersion } = found.body['metadata'] as JsonObject;
  return ask(lab, 'PUT', `${path}/${plural}.${group}`, variant(crd, { 'metadata.resourceVersion': resourceVersion }));
}

/** The server takes a moment to switch to a changed CRD: until every kind is served and this flavour's rules answer. */
async function untilServed(flavour: Flavour): Promise<void> {
  const probes = ADMISSION_CASES.filter((probe) => probe.flavour === flavour).flatMap(
    ({ accepted = [], refused = [] }) => [...accepted.slice(0, 1), ...refused.slice(0, 1).map(([object]) => object)],
  );
  for (let attempt = 0; attempt < 600; attempt++) {
    const verdicts = await Promise.all(
      probes.map(async (object) => {
        const resource = resourceOf(object, flavour);
        const { code } = await ask(lab, 'POST', pathOf(resource) + DRY_RUN, object);
        return code < 300 === (admit(object, resource).verdict === 'admitted');
      }),
    );
    if (verdicts.every(Boolean)) return;
    await sleep(200);
  }
  assert.fail(`the server never served the ${flavour} CRDs as installed`);
}

for (const flavour of FLAVOURS) {
  describe(`${flavour} CRDs`, () => {
    before(() => install(flavour));

    const cases = ADMISSION_CASES.filter((one) => one.flavour === flavour);
    for (const { id, title, accepted = [], refused = [], updates = [] } of cases) {
      test(`${id} ${title}`, async () => {
        for (const object of accepted) assert.equal((await compareCreate(object, flavour)).code, 200);
        for (const [object, message] of refused) {
          const { causes, text } = await compareCreate(object, flavour);
          assert.ok(
            [...causes, text].some((said) => said.includes(message)),
            `${causes.join('\n')}${text}`,
          );
        }
        for (const { from, to, refused: message } of updates) await compareUpdate(from, to, message, flavour);
      });
    }

    test(`${RANDOM_OBJECTS} objects with random faults (seed ${SEED})`, async (t) => {
      // The namespace is the request's business: the server compares the two before it looks further.
      const valid = cases.flatMap(({ accepted = [] }) =>
        accepted.map((one) => variant(one, { 'metadata.namespace': undefined })),
      );
      const random = randomFrom(SEED);
      const codes = new Map<number, number>();
      const differences: Error[] = [];
      for (let count = 0; count < RANDOM_OBJECTS; count++) {
        const object = mutate(valid[Math.floor(random() * valid.length)]!, random);
        try {
          const { code } = await compareCreate(object, flavour);
          codes.set(code, (codes.get(code) ?? 0) + 1);
        } catch (error) {
          differences.push(error as Error);
        }
      }
      if (differences.length > 0) throw new AggregateError(differences.slice(0, 10), `${differences.length} differ`);
      t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(codes))}`);
    });
  });
}

const CONDITION = {
  type: 'Ready',
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'R',
  message: '',
};

const STATUSES: readonly JsonObject[] = [
  {},
  { conditions: [CONDITION] },
  { conditions: [{ ...CONDITION, reason: '' }] },
  { conditions: [{ ...CONDITION, status: 'Maybe' }] },
  { conditions: [CONDITION, CONDITION] },
  { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 'now' }] },
  { conditions: 'none' },
  { nodes: -1 },
  { resources: { cpu: 'x' }, capacity: { cpu: 'x' } },
  { unknown: 1 },
];

test('01/48 writes to the status subresource get the same verdict', async () => {
  for (const object of ['NodePool', 'NodeClaim', 'EC2NodeClass'].map(firstAdmitted)) {
    const resource = resourceOf(object, 'aws');
    const { name } = object['metadata'] as { name: string };
    const created = await ask(lab, 'POST', pathOf(resource), object);
    assert.equal(created.code, 201, JSON.stringify(created.body));
    for (const status of STATUSES) {
      const path = `${pathOf(resource, name)}/status${DRY_RUN}`;
      const server = serverVerdict(await ask(lab, 'PUT', path, { ...created.body, status }));
      assert.deepEqual(
        ourVerdict(admitStatus({ ...created.body, status }, resource, created.body)),
        server,
        JSON.stringify(status),
      );
    }
    await ask(lab, 'DELETE', pathOf(resource, name));
  }
});

function firstAdmitted(kind: string): JsonObject {
  const found = ADMISSION_CASES.flatMap(({ accepted = [], flavour }) => (flavour === 'aws' ? accepted : []));
  return found.find((object) => object['kind'] === kind)!;
}

async function compareUpdate(
  from: JsonObject,
  to: JsonObject,
  message: string | undefined,
  flavour: Flavour,
): Promise<void> {
  const resource = resourceOf(from, flavour);
  const { name } = from['metadata'] as { name: string };
  const created = await ask(lab, 'POST', pathOf(resource), from);
  assert.equal(created.code, 201, JSON.stringify(created.body));
  try {
    const { resourceVersion } = created.body['metadata'] as JsonObject;
    const next = variant(to, { 'metadata.resourceVersion': resourceVersion });
    const server = serverVerdict(await ask(lab, 'PUT', pathOf(resource, name) + DRY_RUN, next));
    assert.deepEqual(ourVerdict(admit(next, resource, created.body)), server, JSON.stringify(to));
    assert.equal(server.code, message === undefined ? 200 : 422);
    if (message !== undefined) assert.ok(server.causes.some((cause) => cause.includes(message)));
  } finally {
    await ask(lab, 'DELETE', pathOf(resource, name));
  }
}
