import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ARCH_LABEL,
  formatRequirements,
  INSTANCE_TYPE_LABEL,
  serializeRequirements,
  toRequirement,
  toRequirements,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { NodeSelectorRequirement, Pod, PodSpec } from '@karpenter-ts/kubernetes';
import { makeNode, makePod, makePool } from '../../testing/builders.ts';
import { FAKE_PROFILE, fakeType, is, ladder } from '../../testing/fake-types.ts';
import { onNodes, preferNodes, where } from '../../testing/pod-parts.ts';
import { failureOf, valuesOf, TestEnvironment } from '../../testing/test-environment.ts';
import { findAnyValue } from './any-value.ts';

const wants = (...expressions: readonly NodeSelectorRequirement[]): PodSpec => ({ affinity: onNodes(expressions) });
const isPlaced = (environment: TestEnvironment, spec: PodSpec) =>
  environment.plan(makePod('a', spec)).unschedulable.length === 0;
const typesFor = (environment: TestEnvironment, spec: PodSpec) =>
  environment.plan(makePod('a', spec)).newNodes[0]?.instanceTypes ?? [];

test('02/44 a custom label that is not defined meets NotIn and DoesNotExist only; one that is meets what includes it', () => {
  const undefinedLabel = new TestEnvironment();
  const defined = new TestEnvironment({ pools: [makePool('default', { requirements: [is('team', 'a')] })] });
  const cases: readonly [string, readonly string[], boolean, boolean][] = [
    ['In', ['a'], false, true],
    ['In', ['b'], false, false],
    ['Exists', [], false, true],
    ['NotIn', ['a'], true, false],
    ['NotIn', ['b'], true, true],
    ['DoesNotExist', [], true, false],
  ];
  for (const [operator, values, whenUndefined, whenDefined] of cases) {
    const spec = wants(where('team', operator, ...values));
    assert.equal(isPlaced(undefinedLabel, spec), whenUndefined, `${operator} ${values.join()} undefined`);
    assert.equal(isPlaced(defined, spec), whenDefined, `${operator} ${values.join()} defined`);
  }
});

test('02/45 a well-known label that is not defined may have any value on a new node, and is absent on an existing one', () => {
  const environment = new TestEnvironment({ nodes: [makeNode('bare')] });
  for (const expression of [
    where('size', 'In', 'small'),
    where('size', 'Exists'),
    where('integer', 'Gt', '1'),
    where(ARCH_LABEL, 'In', 'amd64'),
  ]) {
    const plan = environment.plan(makePod('a', wants(expression)));
    assert.equal(plan.existingNodes.length, 0, JSON.stringify(expression));
    assert.equal(plan.newNodes.length, 1, JSON.stringify(expression));
  }
});

test('02/46 Exists beside an impossible value does not make it possible', () => {
  assert.equal(
    isPlaced(new TestEnvironment(), wants(where(ZONE_LABEL, 'In', 'nowhere'), where(ZONE_LABEL, 'Exists'))),
    false,
  );
});

test('02/47 bounds on a number pick the types within them', () => {
  const environment = new TestEnvironment({ types: ladder(8) });
  const sizes = (operator: string, bound: string) =>
    typesFor(environment, wants(where('integer', operator, bound))).map((name) => Number(name.slice(8)) + 1);
  assert.deepEqual(sizes('Gt', '1'), [2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(sizes('Lt', '4'), [1, 2, 3]);
  assert.deepEqual(sizes('Gte', '2'), [2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(sizes('Lte', '8'), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(sizes('Gt', '9223372036854775807'), []);
});

test('02/48 overlapping bounds are written as the tighter one', () => {
  const written = (...specs: readonly [string, string][]) =>
    serializeRequirements(
      toRequirements(
        specs.map(([operator, value]) => ({ key: 'integer', operator, values: [value] })),
        FAKE_PROFILE,
      ),
    ).map(({ operator, values = [] }) => `${operator} ${values.join()}`);
  assert.deepEqual(written(['Gt', '4'], ['Gte', '5']), ['Gte 5']);
  assert.deepEqual(written(['Gt', '5'], ['Gte', '5']), ['Gte 6']);
  assert.deepEqual(written(['Lt', '5'], ['Lte', '5']), ['Lte 4']);
  assert.deepEqual(written(['Gte', '8'], ['Lte', '8']), ['Gte 8', 'Lte 8']);
});

test('02/49 labels by their old names are the new ones', () => {
  const pod = makePod('a', {
    nodeSelector: {
      'failure-domain.beta.kubernetes.io/zone': 'test-zone-2',
      'beta.kubernetes.io/arch': 'arm64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/instance-type': 'arm-instance-type',
    },
  });
  const [node] = new TestEnvironment().plan(pod).newNodes;
  assert.deepEqual(valuesOf(node!, ZONE_LABEL), ['test-zone-2']);
  assert.deepEqual(node!.instanceTypes, ['arm-instance-type']);
});

test('02/50 a label that looks like a known one is said to be a typo', () => {
  const failure = (key: string) => {
    const pod = makePod('a', { nodeSelector: { [key]: 'x' } });
    return failureOf(new TestEnvironment().plan(pod), pod)!;
  };
  assert.equal(
    failure('zone'),
    'incompatible requirements, label "zone" does not have known values (typo of "topology.kubernetes.io/zone"?)',
  );
  assert.equal(failure('deployment'), 'incompatible requirements, label "deployment" does not have known values');
});

test('02/51 of two minValues on one label the larger holds', () => {
  const entry = (minValues: number) => ({ ...is(INSTANCE_TYPE_LABEL, 'a', 'b', 'c'), minValues });
  const [requirement] = toRequirements([entry(1), entry(2)], FAKE_PROFILE).values();
  assert.equal(requirement!.minValues, 2);
});

test('02/52 an optional label of the provider picks the types that have it, or that lack it', () => {
  const environment = new TestEnvironment();
  assert.deepEqual(typesFor(environment, wants(where('special', 'Exists'))), ['arm-instance-type']);
  assert.equal(typesFor(environment, wants(where('special', 'DoesNotExist'))).includes('arm-instance-type'), false);
});

test('02/152 zones by exclusion and by preference', () => {
  const all = ['test-zone-1', 'test-zone-2', 'test-zone-3', 'unknown'];
  const zones = (spec: PodSpec) => {
    const [node] = new TestEnvironment().plan(makePod('a', spec)).newNodes;
    return node && valuesOf(node, ZONE_LABEL);
  };
  const prefers = (...expressions: readonly NodeSelectorRequirement[]) => ({
    affinity: { nodeAffinity: { ...wanted.nodeAffinity, ...preferNodes([1, ...expressions]).nodeAffinity } },
  });
  const wanted = onNodes([where(ZONE_LABEL, 'In', ...all)]);
  const notIn = new TestEnvironment().plan(
    makePod('a', wants(where(ZONE_LABEL, 'NotIn', 'test-zone-1', 'test-zone-2', 'unknown'))),
  );
  assert.equal(notIn.newNodes[0]!.pricePerHour > 0, true);
  assert.equal(isPlaced(new TestEnvironment(), wants(where(ZONE_LABEL, 'NotIn', ...all))), false);
  assert.deepEqual(zones(prefers(where(ZONE_LABEL, 'In', 'test-zone-2', 'unknown'))), ['test-zone-2', 'unknown']);
  assert.deepEqual(zones(prefers(where(ZONE_LABEL, 'NotIn', 'test-zone-1', 'test-zone-3'))), [
    'test-zone-2',
    'unknown',
  ]);
  assert.deepEqual(zones(prefers(where(ZONE_LABEL, 'In', 'unknown'))), [...all].sort());
  assert.deepEqual(zones(prefers(where(ZONE_LABEL, 'NotIn', ...all))), [...all].sort());
});

test('02/153 selector, required and preferred terms narrow together', () => {
  const pod = makePod('a', {
    nodeSelector: { [ZONE_LABEL]: 'test-zone-3', [INSTANCE_TYPE_LABEL]: 'arm-instance-type' },
    affinity: {
      nodeAffinity: {
        ...onNodes([
          where(ZONE_LABEL, 'In', 'test-zone-1', 'test-zone-3'),
          where(INSTANCE_TYPE_LABEL, 'In', 'default-instance-type', 'arm-instance-type'),
        ]).nodeAffinity,
        ...preferNodes([1, where(ZONE_LABEL, 'NotIn', 'unknown'), where(INSTANCE_TYPE_LABEL, 'NotIn', 'unknown')])
          .nodeAffinity,
      },
    },
  });
  const [node] = new TestEnvironment().plan(pod).newNodes;
  assert.deepEqual(valuesOf(node!, ZONE_LABEL), ['test-zone-3']);
  assert.deepEqual(node!.instanceTypes, ['arm-instance-type']);
});

test('02/154 sets are printed in order, without the hostname, and cut after five values', () => {
  const set = toRequirements(
    [is('b', '6', '5', '4', '3', '2', '1'), is('kubernetes.io/hostname', 'x'), { key: 'a', operator: 'Exists' }],
    FAKE_PROFILE,
  );
  assert.equal(formatRequirements(set), 'a Exists, b In [1 2 3 4 5 and 1 others]');
  const bounded = (operator: string) =>
    formatRequirements(
      toRequirements(
        [
          { key: 'n', operator: 'NotIn', values: ['1', '2'] },
          { key: 'n', operator, values: ['9'] },
        ],
        FAKE_PROFILE,
      ),
    );
  assert.equal(bounded('Lt'), 'n NotIn [1 2] <=8');
  assert.equal(bounded('Gt'), 'n Exists >=10');
});

test('02/155 any value of a bounded label lies within the bounds', () => {
  const any = (operator: string, value: string, random: number) =>
    findAnyValue(toRequirement({ key: 'n', operator, values: [value] }, FAKE_PROFILE), () => random);
  for (const random of [0, 0.5, 0.999999999]) {
    assert.ok(BigInt(any('Gte', '5', random)!) >= 5n);
    assert.ok(BigInt(any('Lte', '5', random)!) <= 5n);
    assert.equal(any('Lte', '0', random), '0');
  }
  assert.deepEqual([any('Lte', '5', 0), any('Lte', '5', 0.999999999)], ['0', '5']);
  assert.equal(any('Gte', '0', 0), '0');
});

test('any value of bounds that leave no number from 0 on is none, where upstream panics', () => {
  const any = (operator: string, value: string) =>
    findAnyValue(toRequirement({ key: 'n', operator, values: [value] }, FAKE_PROFILE), () => 0.5);
  assert.equal(any('Lt', '0'), undefined);
  assert.equal(any('Gte', '9223372036854775807'), undefined);
  assert.ok(any('Lte', '9223372036854775807') !== undefined);
  assert.equal(any('DoesNotExist', ''), undefined);
  assert.equal(any('In', 'only'), 'only');
});

test('any value is none of those excluded, and none at all where all integers within the bounds are', () => {
  const any = (values: readonly string[], random: number) =>
    findAnyValue(
      toRequirements(
        [
          { key: 'n', operator: 'Gt', values: ['3'] },
          { key: 'n', operator: 'Lt', values: ['7'] },
          { key: 'n', operator: 'NotIn', values },
        ],
        FAKE_PROFILE,
      ).get('n')!,
      () => random,
    );
  for (const random of [0, 0.5, 0.999999999]) assert.equal(any(['4', '6'], random), '5');
  assert.equal(any(['4', '5', '6'], 0.5), undefined);
});

test('02/156 asking for large and for the smallest type by name fails', () => {
  const small = fakeType('tiny', { resources: { cpu: '1', memory: '1Gi' } });
  const large = fakeType('big', { resources: { cpu: '8', memory: '16Gi' } });
  const environment = new TestEnvironment({ types: [small, large] });
  assert.equal(isPlaced(environment, { nodeSelector: { size: 'large', [INSTANCE_TYPE_LABEL]: 'tiny' } }), false);
  assert.equal(isPlaced(environment, { nodeSelector: { size: 'large', [INSTANCE_TYPE_LABEL]: 'big' } }), true);
});

test('02/151 a spread over a label that only one pool defines is served by that pool', () => {
  const pools = [makePool('a', { requirements: [is('rack', 'a')] }), makePool('b', { weight: 10 })];
  const pod = makePod('x', {
    labels: { app: 'test' },
    topologySpreadConstraints: [
      {
        topologyKey: 'rack',
        maxSkew: 1,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'test' } },
      },
    ],
  });
  assert.equal(new TestEnvironment({ pools }).plan(pod).newNodes[0]!.nodePool, 'a');
});

test('an existing node has the labels it has: a pod that rules out a value of a label gives it none', () => {
  const avoiding = makePod('avoiding', { requests: { cpu: '1' }, ...wants(where('rack', 'NotIn', 'x')) });
  const asking = makePod('asking', wants(where('rack', 'In', 'y')));
  const excluded = makePod('excluded', wants(where('rack', 'In', 'x')));
  const placed = (...pods: readonly Pod[]) =>
    new TestEnvironment({ nodes: [makeNode('n')] })
      .plan(...pods)
      .existingNodes.flatMap((node) => node.pods.map(({ pod }) => pod.metadata.name));
  assert.deepEqual(placed(asking), []);
  assert.deepEqual(placed(avoiding, asking), ['avoiding']);
  assert.deepEqual(placed(avoiding, excluded), ['avoiding']);
});

test('a pod that asks for a hostname gets no new node, and an existing one of that name only', () => {
  const pod = makePod('a', wants(where('kubernetes.io/hostname', 'In', 'node-1')));
  assert.match(
    failureOf(new TestEnvironment().plan(pod), pod)!,
    /key kubernetes.io\/hostname, kubernetes.io\/hostname In \[node-1\] not in/,
  );
  const environment = new TestEnvironment({ nodes: [makeNode('node-0'), makeNode('node-1')] });
  assert.equal(environment.plan(pod).existingNodes[0]!.node, 'node-1');
  const other = makePod('b', wants(where('kubernetes.io/hostname', 'In', 'node-0')));
  assert.deepEqual(
    environment.plan(pod, other).existingNodes.map(({ node, pods }) => [node, pods[0]!.pod.metadata.name]),
    [
      ['node-0', 'b'],
      ['node-1', 'a'],
    ],
  );
});
