import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCH_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { AmountReader, type Amounts, formatQuantity, type Pod, type PodSpec } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '../snapshot.ts';
import { makeNode, makeOffering, makePod, makePool } from '../testing/builders.ts';
import { fakeType, is, ladder } from '../testing/fake-types.ts';
import { APP, away, near, onNodes, podsWith, spreadOver, where } from '../testing/pod-parts.ts';
import { failureOf, TestEnvironment } from '../testing/test-environment.ts';
import { adviceOn, describeShortfall } from './advice.ts';
import { Explainer, type PoolExplanation } from './explainer.ts';
import { compareShortfalls, type Shortfall } from './shortfall.ts';

const verdict = (types: readonly InstanceType[], spec: PodSpec & { requests?: Record<string, string> }) => {
  const pod = makePod('a', spec);
  return failureOf(new TestEnvironment({ types }).plan(pod), pod)!.split(', requirements=')[0];
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
    failureOf(new TestEnvironment({ types, daemonPods }).plan(pod), pod)!.split(', resources=')[1];
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
    failureOf(new TestEnvironment({ pools }).plan(pod), pod),
    'did not tolerate taint (taint=x:NoSchedule); did not tolerate taint (taint=y=z:NoExecute); ' +
      'all available instance types exceed limits for nodepool (NodePool=b)',
  );
});

test('the nearest miss is the type with the fewest obstacles and the smallest lack', () => {
  const miss = nearestMiss({ requests: { cpu: '20', memory: '1Gi' } });
  assert.equal(miss.instanceType, 'arm-instance-type');
  assert.deepEqual(printed(miss.lacks), { cpu: '4100m' });
  assert.equal(miss.isUnavailable, false);
  const wrongArch = nearestMiss({ affinity: onNodes([where(ARCH_LABEL, 'In', 'mips')]) });
  assert.equal(wrongArch.conflicts[0]!.key, ARCH_LABEL);
});

test('what a type lacks is judged with the daemons and ports on that very type', () => {
  const types = [fakeType('small'), fakeType('large', { resources: { cpu: '8', memory: '16Gi' } })];
  const heavy = makePod('heavy', { requests: { cpu: '7' }, nodeSelector: { size: 'large' } });
  const environment = new TestEnvironment({ types, daemonPods: [heavy] });
  const pod = makePod('a', { requests: { cpu: '4' } });
  const [small] = explain(environment, pod);
  assert.equal(small!.nearestMiss!.instanceType, 'small'); // 100m too small, where the large one is 3,100m too full
  assert.deepEqual(printed(small!.nearestMiss!.lacks), { cpu: '100m' });
  const port = { containers: [{ ports: [{ hostPort: 8080 }] }] };
  const everywhere = new TestEnvironment({ types: [fakeType('only')], daemonPods: [makePod('proxy', port)] });
  const [taken] = explain(everywhere, makePod('b', port));
  assert.deepEqual(
    taken!.nearestMiss!.takenPorts.map((one) => one.port),
    [8080],
  );
  assert.match(adviceOn(taken!), /^of 0 types .*; nearest: only: a daemon has port 8080\/TCP$/);
});

test('a refusal carries the numbers that failed', () => {
  const refusal = (environment: TestEnvironment, pod: Pod) => explain(environment, pod)[0]!.refusal;
  const pods = makePod('a', { requests: { cpu: '3' } });
  const limited = refusal(
    new TestEnvironment({ pools: [makePool('default', { limits: { cpu: '1500m', memory: '1Ti' } })] }),
    pods,
  );
  assert.ok(limited.why === 'ResourceLimits');
  assert.deepEqual(printed(limited.remaining), { cpu: '1500m', memory: '1Ti' });
  assert.deepEqual(printed(limited.smallest), { cpu: '2', memory: '2Gi' });
  const full = refusal(new TestEnvironment({ pools: [makePool('default', { limits: { nodes: '0' } })] }), pods);
  assert.ok(full.why === 'NodeLimit');
  assert.equal(formatQuantity(full.limit), '0');
  const large = refusal(
    new TestEnvironment(),
    makePod('a', { requests: { cpu: '20' }, nodeSelector: { [ARCH_LABEL]: 'amd64' } }),
  );
  assert.ok(large.why === 'InstanceTypes');
  assert.deepEqual(large.types, { considered: 6, compatible: 5, offered: 6, fitting: 0 });
  const pools = [makePool('default', { requirements: [{ key: 'integer', operator: 'Exists', minValues: 2 }] })];
  const uniform = refusal(new TestEnvironment({ pools }), makePod('a', { requests: { cpu: '10' } }));
  assert.ok(uniform.why === 'InstanceTypes');
  assert.deepEqual(uniform.shortOf, [{ label: 'integer', wanted: 2, found: 1 }]);
});

test('why a node is of no cheaper type: each one below its price with what it lacks', () => {
  const environment = new TestEnvironment({
    types: ladder(6),
    daemonPods: [makePod('agent', { requests: { cpu: '1' } })],
  });
  const plan = environment.plan(makePod('a', { requests: { cpu: '2' } }));
  const explainer = new Explainer(environment.snapshot, environment.options);
  const { considered, cheaper } = explainer.explainNode(plan.newNodes[0]!);
  assert.equal(plan.newNodes[0]!.instanceTypes[0], 'fake-it-3');
  assert.equal(considered, 6);
  assert.deepEqual(cheaper.map(describeShortfall), [
    'fake-it-0: lacks cpu 2100m',
    'fake-it-1: lacks cpu 1100m',
    'fake-it-2: lacks cpu 100m',
  ]);
  const pinned = environment.plan(makePod('b', { nodeSelector: { integer: '5' } }));
  assert.match(
    describeShortfall(explainer.explainNode(pinned.newNodes[0]!).cheaper[0]!),
    /^fake-it-0: key integer, integer In \[5\] not in integer In \[1\], lacks cpu 100m$/,
  );
});

test('advice says in one line what a person could change', () => {
  const advice = (environment: TestEnvironment, pod: Pod) => explain(environment, pod).map(adviceOn);
  const tainted = makePool('default', { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] });
  assert.deepEqual(advice(new TestEnvironment({ pools: [tainted] }), makePod('a')), [
    'the pod does not tolerate team=a:NoSchedule',
  ]);
  const small = new TestEnvironment({ pools: [makePool('default', { limits: { cpu: '1' } })] });
  assert.deepEqual(advice(small, makePod('a')), ['it may grow by cpu 1; its smallest types add cpu 2']);
  assert.deepEqual(advice(new TestEnvironment(), makePod('a', { requests: { cpu: '20' } })), [
    'of 6 types 6 meet the requirements, 6 can be had within them, 0 of these are large enough; ' +
      'nearest: arm-instance-type: lacks cpu 4100m',
  ]);
  const alone = makePod('a', { affinity: near(podsWith(ZONE_LABEL, { app: 'nowhere' })) });
  assert.deepEqual(advice(new TestEnvironment(), alone), [
    'no place by its affinity over topology.kubernetes.io/zone ' +
      '(matching pods: test-zone-1 0, test-zone-2 0, test-zone-3 0)',
  ]);
});

test('a refusal by hosts counts nodes that are there or planned, and of those being deleted the ones with matching pods', () => {
  const holding = (name: string, count: number) => {
    const pods = Array.from({ length: count }, (_, i) => makePod(`${name}-${i}`, { labels: APP }));
    return makeNode(name, { pods, allocatable: { pods: String(count) } });
  };
  const environment = new TestEnvironment({
    nodes: [holding('full', 1), holding('none', 0)],
    deletingNodes: [holding('deleting', 2), holding('idle', 0)],
    pods: [makePod('large', { requests: { cpu: '3' } })],
  });
  const [refused] = explain(environment, makePod('follower', { affinity: near(podsWith('kubernetes.io/hostname')) }));
  assert.ok(refused!.refusal.why === 'Topology');
  assert.deepEqual(Object.fromEntries(refused!.refusal.counts), {
    full: 1,
    none: 0,
    deleting: 2,
    'hostname-placeholder-0001': 0,
  });
});

test('advice on domains names five of them and says how many more there are', () => {
  const advice = (count: number) => {
    const requirements = [is('rack', ...Array.from({ length: count }, (_, i) => `r-${i}`))];
    const environment = new TestEnvironment({ pools: [makePool('default', { requirements })] });
    return adviceOn(explain(environment, makePod('a', { affinity: near(podsWith('rack')) }))[0]!);
  };
  assert.match(advice(5), /\(matching pods: r-0 0, r-1 0, r-2 0, r-3 0, r-4 0\)$/);
  assert.match(advice(7), /r-4 0 and 2 more\)$/);
  const nowhere = makePod('a', { affinity: near(podsWith('nowhere')) });
  assert.equal(
    adviceOn(explain(new TestEnvironment(), nowhere)[0]!),
    'no place by its affinity over nowhere (no node has it)',
  );
});

test('of shortfalls the one with fewer obstacles of whatever kind is closer, then the one with the smaller lack', () => {
  const cpu = (text: string): Amounts => new AmountReader().read({ cpu: text });
  const shortfall = (parts: Partial<Shortfall>): Shortfall => ({
    instanceType: 'type',
    conflicts: [],
    requests: cpu('10'),
    lacks: new Map(),
    isUnavailable: false,
    takenPorts: [],
    avoidedDaemons: [],
    pricePerHour: 1,
    ...parts,
  });
  const port = { ip: '0.0.0.0', port: 80, protocol: 'TCP' };
  const fromClosest = [
    shortfall({}),
    shortfall({ isUnavailable: true }),
    shortfall({ lacks: cpu('1') }),
    shortfall({ lacks: cpu('2') }),
    shortfall({ takenPorts: [port], isUnavailable: true }),
    shortfall({ takenPorts: [port], lacks: cpu('1') }),
    shortfall({ takenPorts: [port], lacks: cpu('1'), isUnavailable: true }),
  ];
  assert.deepEqual(fromClosest.toReversed().sort(compareShortfalls), fromClosest);
  assert.equal(describeShortfall(fromClosest[0]!), 'type: beyond the limits of the pool');
  assert.equal(
    describeShortfall(fromClosest[6]!),
    'type: lacks cpu 1, a daemon has port 80/TCP, cannot be had that way now',
  );
});

function explain(environment: TestEnvironment, pod: Pod): readonly PoolExplanation[] {
  const [unschedulable] = environment.plan(pod).unschedulable;
  return new Explainer(environment.snapshot, environment.options).explainPod(unschedulable!);
}

function nearestMiss(spec: PodSpec & { requests?: Record<string, string> }): Shortfall {
  return explain(new TestEnvironment(), makePod('a', spec))[0]!.nearestMiss!;
}

function printed(amounts: Amounts): Readonly<Record<string, string>> {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

test('three rules on one key that are open in pairs but not together are told, with what each leaves', () => {
  const inZone = (name: string, app: string, n: number) =>
    makePod(name, { labels: { app }, requests: { cpu: '1' }, nodeSelector: { [ZONE_LABEL]: `test-zone-${n}` } });
  const others = [inZone('y-2', 'y', 2), inZone('y-3', 'y', 3), inZone('z-2', 'z', 2), inZone('x-3', 'x', 3)];
  const pod = makePod('x', {
    labels: { app: 'x' },
    topologySpreadConstraints: [spreadOver(ZONE_LABEL, { labelSelector: { matchLabels: { app: 'x' } } })],
    affinity: { ...near(podsWith(ZONE_LABEL, { app: 'y' })), ...away(podsWith(ZONE_LABEL, { app: 'z' })) },
  });
  const left = (...zones: readonly number[]) => `${ZONE_LABEL} In [${zones.map((n) => `test-zone-${n}`).join(' ')}]`;
  const environment = new TestEnvironment();
  const plan = environment.plan(...others, pod);
  const text =
    `key ${ZONE_LABEL}, ${left(1, 3)} not in ${left(2)} (topology spread leaves ${left(1, 2)}, ` +
    `pod affinity leaves ${left(2, 3)}, pod anti-affinity leaves ${left(1, 3)})`;
  assert.equal(failureOf(plan, pod), text);
  const [explanation] = new Explainer(environment.snapshot, environment.options).explainPod(plan.unschedulable[0]!);
  assert.equal(adviceOn(explanation!), `rules about other pods: ${text}`);
});
