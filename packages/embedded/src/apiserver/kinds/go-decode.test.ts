import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import fc from 'fast-check';
import { DecodeError, decodeGo } from './go-decode.ts';
import { goStruct } from './go-types.ts';

const decode = (type: string, object: JsonObject) => decodeGo(object, goStruct(type));

test('unknown fields are told by their path, in the order of the document, and dropped', () => {
  const { object, unknown } = decode('core.Pod', {
    metadata: { odd: 1 },
    spec: { containers: [{ name: 'a', odd: 2 }], odd: 3 },
  });
  assert.deepEqual(unknown, ['metadata.odd', 'spec.containers[0].odd', 'spec.odd']);
  assert.ok(!JSON.stringify(object).includes('odd'));
});

test('what Go would not write is left out, and what it always writes is there', () => {
  const { object } = decode('core.Container', { name: 'a', image: '', command: [], stdin: false, env: null });
  assert.deepEqual(Object.keys(object).sort(), [
    'imagePullPolicy',
    'name',
    'resources',
    'terminationMessagePath',
    'terminationMessagePolicy',
  ]);
  assert.deepEqual(object['resources'], {});
});

test('a zero behind a pointer stays', () => {
  assert.equal(decode('apps.ReplicaSetSpec', { replicas: 0 }).object['replicas'], 0);
});

test('a key of a map may be called as it likes', () => {
  const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as JsonObject;
  const { object } = decode('core.ConfigMap', { metadata: { name: 'a', labels } });
  assert.equal(JSON.stringify((object['metadata'] as JsonObject)['labels']), '{"__proto__":"x","constructor":"y"}');
});

test('the first value of a wrong type is told in the words of Go', () => {
  const told = (object: JsonObject, message: string) =>
    assert.throws(() => decode('core.Pod', object), { name: 'DecodeError', message });
  told(
    { spec: { volumes: [{ name: 5 }] } },
    'json: cannot unmarshal number into Go struct field Volume.spec.volumes.name of type string',
  );
  told(
    { spec: { priority: 2 ** 31 } },
    'json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.priority of type int32',
  );
  told(
    { metadata: { labels: { a: 1 } } },
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
  );
});

test('whatever is sent is decoded or refused, and what was decoded once decodes to itself', () => {
  const spec = fc.object({
    key: fc.constantFrom('spec', 'containers', 'name', 'resources', 'requests', 'cpu', 'labels', 'x'),
    maxDepth: 4,
  });
  let decoded = 0;
  fc.assert(
    fc.property(spec, (sent) => {
      try {
        const once = decode('core.Pod', JSON.parse(JSON.stringify(sent)) as JsonObject).object;
        decoded++;
        assert.deepEqual(decode('core.Pod', once), { object: once, unknown: [] });
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
      }
    }),
  );
  assert.ok(decoded > 10);
});

test('parts of an object that was read before are taken as they are', () => {
  const pod = decode('core.Pod', { metadata: { name: 'a' }, spec: { containers: [{ name: 'a' }] } }).object;
  const patched = { ...pod, status: { phase: 'Running', odd: 1 } };
  const { object, unknown } = decodeGo(patched, goStruct('core.Pod'), pod);
  assert.equal(object['metadata'], pod['metadata']);
  assert.deepEqual(unknown, ['status.odd']);
  assert.deepEqual(object, decode('core.Pod', patched).object);
});
