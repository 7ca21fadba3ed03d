import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCH_LABEL, CAPACITY_TYPE_LABEL, formatQuantity, toRequirements, ZONE_LABEL } from '@karpenter-ts/apis';
import type { InstanceType } from '../instance-types/instance-type.ts';
import type { Pod, PodSpec } from '../objects/pod.ts';
import { makeOffering, makePod, makePool } from '../testing/builders.ts';
import { DEFAULT_TYPES, FAKE_PROFILE, fakeType, is, ladder } from '../testing/fake-types.ts';
import { onNodes, where } from '../testing/pod-parts.ts';
import { failureOf, World } from '../testing/world.ts';
import { cheaperTypes, findNearestMiss } from './nearest-miss.ts';
import type { InstanceTypeRefusal } from './reason.ts';

const verdict = (types: readonly InstanceType[], spec: PodSpec & { requests?: Record<string, string> }) => {
  const pod = makePod('a', spec);
  return failureOf(new World({ types }).plan(pod), pod)!.split(', requirements=')[0];
};
const zones = (...names: readonly string[]) => ({ offerings: names.map((zone) => makeOffering(zone, 'on-demand', 1)) });

test('which tests no type passed, alone or together, is said in upstream’s words', () => {
  const arm = { nodeSelector: { [ARCH_LABEL]: 'arm64' } };
  const large = { requests: { cpu: '8' } };
  const zone1 = { nodeSelector: { [ZONE_LABEL]: 'test-zone-1' } };
  const intel = fakeType('intel', zones('test-zone-1'));
  assert.equal(verdict([intel], arm), 'no instance type met all requirements');
  assert.equal(verdict([intel], large), 'no instance type has enough resources');
  assert.equal(
    verdict([intel], { ...arm, ...large }),
    'no instance type met the scheduling requirements or had enough resources',
  );
  const away = fakeType('away', { ...zones('test-zone-2'), requirements: [] });
  const open = { ...away, requirements: away.requirements.filter(({ key }) => key !== ZONE_LABEL) };
  assert.equal(verdict([open], zone1), 'no instance type had enough resources or had a required offering');
  assert.equal(
    verdict([away], { ...zone1, nodeSelector: { ...zone1.nodeSelector, [ARCH_LABEL]: 'arm64' } }),
    'no instance type met the scheduling requirements or had enough resources or had a required offering',
  );
  const small = fakeType('small', { ...zones('test-zone-1'), arch: 'arm64' });
  const big = fakeType('big', { ...zones('test-zone-1'), resources: { cpu: '16' } });
  assert.equal(
    verdict([small, big], { ...arm, ...large }),
    'no instance type which had enough resources and the required offering met the scheduling requirements',
  );
});

test('resources are those of the pod and of the daemons, from the least to the most', () => {
  const daemon = (size: string, cpu: string) => makePod(size, { requests: { cpu }, nodeSelector: { size } });
  const types = [fakeType('small'), fakeType('large', { resources: { cpu: '8', memory: '16Gi' } })];
  const pod = makePod('a', { requests: { cpu: '100' } });
  const failure = (...daemonPods: readonly Pod[]) =>
    failureOf(new World({ types, daemonPods }).plan(pod), pod)!.split(', resources=')[1];
  assert.equal(failure(), '{"cpu":"100","pods":"1"}');
  assert.equal(failure(daemon('small', '1')), '{"cpu":"101","pods":"2"}');
  assert.equal(
    failure(daemon('small', '1'), daemon('large', '2')),
    'min={"cpu":"101","pods":"2"}, max={"cpu":"102","pods":"2"}',
  );
});

test('what all pools say is joined in their order', () => {
  const pools = [
    makePool('a', {
      weight: 2,
      taints: [
        { key: 'x', effect: 'NoSchedule' },
        { key: 'y', value: 'z', effect: 'NoExecute' },
      ],
    }),
    makePool('b', { weight: 1, limits: { cpu: '0' } }),
  ];
  const pod = makePod('p');
  assert.equal(
    failureOf(new World({ pools }).plan(pod), pod),
    'did not tolerate taint (taint=x:NoSchedule); did not tolerate taint (taint=y=z:NoExecute); ' +
      'all available instance types exceed limits for nodepool (NodePool=b)',
  );
});

test('the nearest miss is the type with the fewest obstacles and the smallest lack', () => {
  const refusal = refusalOf({ requests: { cpu: '20', memory: '1Gi' } });
  const miss = findNearestMiss(DEFAULT_TYPES, refusal, FAKE_PROFILE)!;
  assert.equal(miss.instanceType, 'arm-instance-type');
  assert.deepEqual(
    [...miss.lacks].map(([name, quantity]) => `${name} ${formatQuantity(quantity)}`),
    ['cpu 4100m'],
  );
  assert.equal(miss.isUnavailable, false);
  const wrongArch = refusalOf({ affinity: onNodes([where(ARCH_LABEL, 'In', 'mips')]) });
  assert.equal(findNearestMiss(DEFAULT_TYPES, wrongArch, FAKE_PROFILE)!.conflicts[0]!.key, ARCH_LABEL);
});

test('why a node is of no cheaper type: each one below its price with what it lacks', () => {
  const types = ladder(6);
  const world = new World({ types });
  const [node] = world.plan(makePod('a', { requests: { cpu: '3' } })).newNodes;
  assert.equal(node!.instanceTypes[0], 'fake-it-3');
  const cheaper = cheaperTypes(types, {
    requirements: node!.requirements,
    requests: node!.requests,
    profile: FAKE_PROFILE,
    pricePerHour: node!.pricePerHour,
    poolRequirements: toRequirements([is(CAPACITY_TYPE_LABEL, 'spot', 'on-demand')], FAKE_PROFILE),
  });
  assert.deepEqual(
    cheaper.map(({ instanceType, lacks }) => `${instanceType} ${formatQuantity(lacks.get('cpu')!)}`),
    ['fake-it-0 2100m', 'fake-it-1 1100m', 'fake-it-2 100m'],
  );
});

function refusalOf(spec: PodSpec & { requests?: Record<string, string> }): InstanceTypeRefusal {
  const { failure } = new World().plan(makePod('a', spec)).unschedulable[0]!;
  assert.ok(failure.why === 'PoolsRefused');
  const { refusal } = failure.refusals[0]!;
  assert.ok(refusal.why === 'InstanceTypes');
  return refusal;
}
