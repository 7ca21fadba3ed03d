import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { deepFreeze, type Json, type JsonObject } from '@karpenter-ts/kubernetes';
import { goStruct } from '../kinds/go-types.ts';
import { PatchError } from './patch-error.ts';
import { applyStrategicPatch } from './strategic-patch.ts';

const POD = goStruct('core.Pod');

const patchedPod = (pod: JsonObject, patch: Json): JsonObject =>
  applyStrategicPatch(deepFreeze(pod), JSON.stringify(patch), POD);

interface Golden {
  readonly kind: string;
  readonly object: JsonObject;
  readonly patch: Json;
  readonly result?: JsonObject;
  readonly error?: string;
}

// Made with k8s.io/apimachinery/pkg/util/strategicpatch on the types of k8s.io/api v0.35.4: a case for each directive,
// list and mistake, then patches between random objects as kubectl makes them, also onto others than they were made for.
const GOLDEN = readFileSync(new URL('strategic-patch.golden.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Golden);

for (const [kind, cases] of Map.groupBy(GOLDEN, (golden) => golden.kind)) {
  test(`patches of ${kind} give what the real server’s library gives, errors included`, () => {
    for (const { object, patch, result, error } of cases) {
      const apply = () => applyStrategicPatch(deepFreeze(object), JSON.stringify(patch), goStruct(kind));
      if (error === undefined) assert.deepEqual(apply(), result, JSON.stringify({ object, patch }));
      else assert.throws(apply, { name: 'PatchError', message: error });
    }
  });
}

test('containers merge by name, and a new one goes where the patch has it', () => {
  const pod = { spec: { containers: [{ name: 'a', image: '1' }, { name: 'sidecar' }] } };
  const patch = {
    spec: {
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
      containers: [{ name: 'b' }, { name: 'a', image: '2' }],
    },
  };
  assert.deepEqual(patchedPod(pod, patch), {
    spec: { containers: [{ name: 'b' }, { name: 'a', image: '2' }, { name: 'sidecar' }] },
  });
});

test('tolerations are replaced whole', () => {
  const pod = { spec: { tolerations: [{ key: 'a' }, { key: 'b' }] } };
  assert.deepEqual(patchedPod(pod, { spec: { tolerations: [{ key: 'c' }] } }), {
    spec: { tolerations: [{ key: 'c' }] },
  });
});

test('finalizers are a set to add to, and to delete from', () => {
  const pod = { metadata: { finalizers: ['a', 'b'] } };
  assert.deepEqual(patchedPod(pod, { metadata: { finalizers: ['c', 'a'] } }), {
    metadata: { finalizers: ['c', 'a', 'b'] },
  });
  assert.deepEqual(patchedPod(pod, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } }), {
    metadata: { finalizers: ['b'] },
  });
});

test('a selector of a disruption budget is replaced whole', () => {
  const budget = { spec: { selector: { matchLabels: { a: '1' } }, maxUnavailable: 1 } };
  const patch = '{"spec":{"selector":{"matchLabels":{"b":"2"}}}}';
  assert.deepEqual(applyStrategicPatch(budget, patch, goStruct('policy.PodDisruptionBudget')), {
    spec: { selector: { matchLabels: { b: '2' } }, maxUnavailable: 1 },
  });
});

test('a directive in a wrong form is a bad request, and so is a mistake in an element', () => {
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'a' }] } };
  const patches: readonly Json[] = [
    { spec: { $retainKeys: 1 } },
    { spec: { $setElementOrder: [] } },
    { metadata: { $deleteFromPrimitiveList: [] } },
    { spec: { containers: [{ image: 'x' }] } },
    { spec: { containers: [{ name: 'a', $patch: 'merge' }] } },
  ];
  for (const patch of patches) assert.throws(() => patchedPod(pod, patch), { name: 'PatchError', code: 400 });
});

test('a body that is no object is a bad request; null changes nothing', () => {
  const problem = 'json: cannot unmarshal array into Go value of type map[string]interface {}';
  assert.throws(() => patchedPod({}, []), new PatchError(400, problem));
  assert.throws(() => applyStrategicPatch({}, '{', POD), new PatchError(400, 'unexpected end of JSON input'));
  assert.deepEqual(patchedPod({ a: 1 }, null), { a: 1 });
});

test('long lists are merged without looking through one for each element of the other', () => {
  const names = Array.from({ length: 2_000 }, (_, i) => `c${i}`);
  let reads = 0;
  const containers = names.map((name) => ({
    get name() {
      reads++;
      return name;
    },
  }));
  const patch = { spec: { containers: names.toReversed().map((name) => ({ name, image: 'x' })) } };
  const { spec } = applyStrategicPatch({ spec: { containers } }, JSON.stringify(patch), POD);
  assert.equal((spec as { readonly containers: readonly Json[] }).containers.length, names.length);
  assert.ok(reads < 20 * names.length, `${reads}`);
});
