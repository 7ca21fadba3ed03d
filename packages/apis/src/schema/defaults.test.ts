import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESOURCES } from '../kinds/registry.ts';
import { MINIMAL_NODE_POOL, variant } from '../testing/index.ts';
import { admit } from './admission.ts';
import { applyDefaults, dropForbiddenNulls } from './defaults.ts';
import type { Json, JsonObject, StructuralSchema } from '@karpenter-ts/kubernetes';

function admitted(object: JsonObject): JsonObject {
  const resource = [...RESOURCES.aws, ...RESOURCES.kwok].find(({ kind }) => kind === object['kind'])!;
  const admission = admit(object, resource);
  assert.equal(admission.verdict, 'admitted');
  return admission.object;
}

test('01/1 04/151 a NodePool with only a template gets its disruption and expiry', () => {
  const { spec } = admitted(MINIMAL_NODE_POOL) as {
    spec: { disruption: unknown; template: { spec: { expireAfter: string } } };
  };
  assert.deepEqual(spec.disruption, {
    consolidateAfter: '0s',
    consolidationPolicy: 'WhenEmptyOrUnderutilized',
    budgets: [{ nodes: '10%' }],
  });
  assert.equal(spec.template.spec.expireAfter, '720h');
});

test('01/2 a disruption without consolidateAfter reads back 0s', () => {
  const pool = variant(MINIMAL_NODE_POOL, { 'spec.disruption': { consolidationPolicy: 'WhenEmpty' } });
  const { spec } = admitted(pool) as { spec: { disruption: { consolidateAfter: string } } };
  assert.equal(spec.disruption.consolidateAfter, '0s');
});

test('a budget without nodes gets 10%', () => {
  const pool = variant(MINIMAL_NODE_POOL, { 'spec.disruption.budgets': [{ reasons: ['Empty'] }] });
  const { spec } = admitted(pool) as { spec: { disruption: { budgets: unknown } } };
  assert.deepEqual(spec.disruption.budgets, [{ reasons: ['Empty'], nodes: '10%' }]);
});

test('01/64 a buffer reads back the default strategy', () => {
  const buffer = {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { name: 'a' },
    spec: {},
  };
  assert.deepEqual(admitted(buffer)['spec'], { provisioningStrategy: 'buffer.x-k8s.io/active-capacity' });
});

test('01/67 a KWOKNodeClass is ready from the first moment, whatever status it was sent with', () => {
  const nodeClass = {
    apiVersion: 'karpenter.kwok.sh/v1alpha1',
    kind: 'KWOKNodeClass',
    metadata: { name: 'a' },
    status: { conditions: [] },
  };
  const { status } = admitted(nodeClass) as { status: { conditions: readonly { type: string; status: string }[] } };
  assert.deepEqual(
    status.conditions.map(({ type, status: value }) => [type, value]),
    [['Ready', 'True']],
  );
});

test('01/80 metadata options that are left out are filled in one by one', () => {
  const nodeClass = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'a' },
    spec: {
      role: 'r',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      metadataOptions: { httpTokens: 'optional' },
    },
  };
  const { spec } = admitted(nodeClass) as { spec: { metadataOptions: unknown } };
  assert.deepEqual(spec.metadataOptions, {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'optional',
  });
});

const nested: StructuralSchema = {
  type: 'object',
  properties: {
    list: { type: 'array', items: { type: 'string', default: 'x' } },
    map: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { a: { type: 'integer', default: 1 } } },
    },
    free: { type: 'string', nullable: true, default: 'y' },
  },
};

test('defaults reach into lists and maps, and a null counts as missing unless it is allowed', () => {
  const value = { list: ['a', null], map: { k: {} }, free: null };
  assert.deepEqual(applyDefaults(value, nested), { list: ['a', 'x'], map: { k: { a: 1 } }, free: null });
});

test('nulls that are neither allowed nor defaulted are dropped before defaulting', () => {
  const schema: StructuralSchema = { properties: { a: { type: 'string' }, b: { type: 'string', nullable: true } } };
  assert.deepEqual(dropForbiddenNulls({ a: null, b: null, c: null }, schema), { b: null, c: null });
});

test('a null in a map stays until its default takes its place', () => {
  const schema: StructuralSchema = { type: 'object', additionalProperties: { type: 'string', default: 'x' } };
  assert.deepEqual(applyDefaults(dropForbiddenNulls({ a: null }, schema), schema), { a: 'x' });
});

test('defaulting leaves its input as it was', () => {
  const before = JSON.stringify(MINIMAL_NODE_POOL);
  admitted(MINIMAL_NODE_POOL);
  assert.equal(JSON.stringify(MINIMAL_NODE_POOL), before);
});

test('members are told from what JavaScript objects inherit', () => {
  const text: StructuralSchema = { type: 'string', default: 'd' };
  const map: StructuralSchema = { type: 'object', additionalProperties: {} };
  const open: StructuralSchema = {
    type: 'object',
    properties: Object.fromEntries(Object.entries({ toString: text, map })),
  };
  const value = JSON.parse('{"map":{"__proto__":{"a":1}},"valueOf":null}') as Json;
  assert.equal(
    JSON.stringify(applyDefaults(value, open)),
    '{"map":{"__proto__":{"a":1}},"valueOf":null,"toString":"d"}',
  );
  assert.equal(JSON.stringify(dropForbiddenNulls(value, open)), '{"map":{"__proto__":{"a":1}},"valueOf":null}');
});
