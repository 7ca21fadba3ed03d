import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeOffering, makePod, makeType } from '../../testing/builders.ts';
import { packing, TestEnvironment } from '../../testing/test-environment.ts';
import { AmountReader } from '@karpenter-ts/kubernetes';
import { ResourceTable, roundUpRequests } from './resource-table.ts';

const table = new ResourceTable(['example.com/device']);
const read = (list: Readonly<Record<string, string>>) => new AmountReader().read(list);

test('requests are counted in whole units, thousandths of CPU and units of the rest, and rounded up as the kube-scheduler does', () => {
  const asked = read({ cpu: '1500u', memory: '500u', 'example.com/device': '1' });
  assert.deepEqual([...table.toRequests(asked)], [2, 1, 0, 1]);
  assert.deepEqual(
    [...roundUpRequests(asked).values()].map(({ nanos }) => nanos),
    [2_000_000n, 1_000_000_000n, 1_000_000_000n],
  );
});

test('a fraction of a unit of a target is no use to anyone', () => {
  assert.deepEqual([...table.toTargets(read({ cpu: '1900500u', memory: '7500m' }))], [1900, 7, 0, 0]);
  assert.deepEqual([...table.toTargets(read({ memory: '-500m' }))], [0, -1, 0, 0]);
});

test('what is beyond 2^53 units fits no target, however large that is', () => {
  const [, beyond] = table.toRequests(read({ memory: '9007199254740992' }));
  const [, most] = table.toRequests(read({ memory: '9007199254740991' }));
  const [, target] = table.toTargets(read({ memory: '7Ei' }));
  assert.ok(beyond! > target!);
  assert.equal(most, target);
});

test('a request fits a target in numbers if it fits in exact quantities, rounded up', () => {
  const amounts = fc.bigInt({ min: 0n, max: 2n ** 63n });
  fc.assert(
    fc.property(amounts, amounts, fc.constantFrom('cpu', 'memory', 'example.com/device'), (asked, given, name) => {
      const unit = name === 'cpu' ? 10n ** 6n : 10n ** 9n;
      const [requests, target] = [asked, given].map(
        (nanos) => new Map([[name, { nanos, format: 'DecimalSI' as const }]]),
      );
      const i = table.names.indexOf(name);
      const fits = table.toRequests(requests!)[i]! <= table.toTargets(target!)[i]!;
      assert.equal(fits, (asked + unit - 1n) / unit <= given / unit && (asked + unit - 1n) / unit < 2n ** 53n);
    }),
  );
});

const TYPES = (
  [
    ['small', '8Gi', 0.1],
    ['mid', '32Gi', 0.4],
    ['big', '256Gi', 4],
    ['u9', '9Ti', 50],
    ['u24', '24Ti', 130],
  ] as const
).map(([name, memory, price]) =>
  makeType(name, { capacity: { cpu: '64', memory, pods: '110' }, offerings: [makeOffering('a', 'on-demand', price)] }),
);

/** By pod: the cheapest type it may be on. */
function typesOf(memoryByPod: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> {
  const pods = Object.entries(memoryByPod).map(([name, memory]) => makePod(name, { requests: { cpu: '40', memory } }));
  const { newNodes } = new TestEnvironment({ types: TYPES }).plan(...pods);
  return Object.fromEntries(
    newNodes.flatMap((node) => node.pods.map(({ pod }) => [pod.metadata.name, node.instanceTypes[0]])),
  );
}

test("one pod's fraction of a byte does not make large requests of others look equal", () => {
  assert.deepEqual(typesOf({ tiny: '500u', huge: '64Gi', huge2: '200Gi' }), {
    tiny: 'small',
    huge: 'big',
    huge2: 'big',
  });
  assert.deepEqual(typesOf({ tiny: '1n', one: '1Gi', two: '64Gi' }), { tiny: 'small', one: 'small', two: 'big' });
  assert.deepEqual(typesOf({ tiny: '512m', db: '20Ti', db2: '8.5Ti' }), { tiny: 'small', db: 'u24', db2: 'u9' });
});

test('a request beyond all range is refused, and nobody else', () => {
  assert.deepEqual(typesOf({ tiny: '500u', vast: '100Pi', vaster: '6Ei' }), { tiny: 'small' });
});

test('pods that ask for fractions share a node with as many as the kube-scheduler lets on it', () => {
  const types = [
    makeType('t', { capacity: { cpu: '1', memory: '10', pods: '110' }, offerings: [makeOffering('a', 'spot', 1)] }),
  ];
  const pods = Array.from({ length: 12 }, (_, i) => makePod(`p${i}`, { requests: { memory: '100m' } }));
  assert.deepEqual(packing(new TestEnvironment({ types }).plan(...pods)), [2, 10]);
});
