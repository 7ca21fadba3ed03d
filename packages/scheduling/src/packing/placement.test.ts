import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCH_LABEL, CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { planSnapshot } from '../planner.ts';
import { makeNode, makeOffering, makePod, makePool } from '../testing/builders.ts';
import { DEFAULT_TYPES, fakeType, is, ladder } from '../testing/fake-types.ts';
import { onNodes, where } from '../testing/pod-parts.ts';
import { failureOf, packing, valuesOf, TestEnvironment } from '../testing/test-environment.ts';

const small = (name: string) => makePod(name, { requests: { cpu: '10m' } });

test('02/13 without any pool every pod fails, even one that would fit an existing node', () => {
  const environment = new TestEnvironment({ pools: [], nodes: [makeNode('spare')] });
  assert.equal(failureOf(environment.plan(small('a')), small('a')), 'no dynamic nodepools found');
});

test('02/27 a second small pod goes to the node bought for the first', () => {
  const environment = new TestEnvironment();
  environment.schedule(small('a'));
  const plan = environment.schedule(small('b'));
  assert.equal(plan.newNodes.length, 0);
  assert.equal(plan.existingNodes[0]!.node, 'bought-001');
});

test('02/28 a node in zone 2 serves a pod for zones 1 or 2 but not one for zones 1 or 3', () => {
  const environment = new TestEnvironment();
  environment.schedule(makePod('first', { nodeSelector: { [ZONE_LABEL]: 'test-zone-2' } }));
  assert.equal(environment.plan(inZones('b', 'test-zone-1', 'test-zone-2')).newNodes.length, 0);
  assert.equal(environment.plan(inZones('c', 'test-zone-1', 'test-zone-3')).newNodes.length, 1);
});

test('02/29 02/142 pods of a deleting node are planned elsewhere, with those that came, on one node', () => {
  const moved = ['a', 'b', 'c'].map((name) => ({ ...small(name), spec: { ...small(name).spec, nodeName: 'old' } }));
  const environment = new TestEnvironment({ deletingNodes: [makeNode('old', { pods: moved })] });
  const plan = environment.plan(...moved, small('d'), small('e'));
  assert.deepEqual(packing(plan), [5]);
  assert.equal(plan.existingNodes.length, 0);
});

test('02/32 of a hundred nodes the one that is initialised comes first', () => {
  const nodes = Array.from({ length: 100 }, (_, i) => makeNode(`node-${i}`, { initialized: i === 57 }));
  assert.equal(new TestEnvironment({ nodes }).plan(small('a')).existingNodes[0]!.node, 'node-57');
});

test('02/33 a node that Karpenter does not manage takes pods', () => {
  const plan = new TestEnvironment({ nodes: [makeNode('foreign')] }).plan(small('a'));
  assert.deepEqual(plan.newNodes, []);
  assert.equal(plan.existingNodes[0]!.node, 'foreign');
});

test('02/34 the next pod goes to the planned node with the fewest pods', () => {
  // Two pods apart, then a third that may go anywhere: it evens nothing out, but a fourth and fifth alternate.
  const apart = (name: string) =>
    makePod(name, {
      labels: { apart: 'yes' },
      requests: { cpu: '500m' },
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { apart: 'yes' } } },
          ],
        },
      },
    });
  const plan = new TestEnvironment().plan(apart('a'), apart('b'), small('c'), small('d'));
  assert.deepEqual(packing(plan), [2, 2]);
});

test('02/35 40 pods of 1.8G take 20 nodes of 4Gi, and 20 pods of 400M fit beside them', () => {
  const types = [fakeType('only', { resources: { pods: '10' } })];
  const large = Array.from({ length: 40 }, (_, i) => makePod(`large-${i}`, { requests: { memory: '1.8G' } }));
  const little = Array.from({ length: 20 }, (_, i) => makePod(`little-${i}`, { requests: { memory: '400M' } }));
  assert.equal(new TestEnvironment({ types }).plan(...large).newNodes.length, 20);
  assert.equal(new TestEnvironment({ types }).plan(...large, ...little).newNodes.length, 20);
});

test('02/36 pods of 4.5 and 1 cpu on types of 1 to 5 cpus get a node each, of different types', () => {
  const types = Array.from({ length: 5 }, (_, i) => fakeType(`cpu-${i + 1}`, { resources: { cpu: String(i + 1) } }));
  const plan = new TestEnvironment({ types }).plan(
    makePod('a', { requests: { cpu: '4.5' } }),
    makePod('b', { requests: { cpu: '1' } }),
  );
  assert.deepEqual(
    plan.newNodes.map(({ instanceTypes }) => instanceTypes[0]),
    ['cpu-5', 'cpu-2'],
  );
});

test('02/37 where the large type is cheaper all that fit are listed, the cheapest first', () => {
  const types = [1, 2, 4].map((cpus) =>
    fakeType(`cpu-${cpus}`, {
      resources: { cpu: String(cpus) },
      offerings: [makeOffering('test-zone-1', 'on-demand', 1 / cpus)],
    }),
  );
  const plan = new TestEnvironment({ types }).plan(makePod('a', { requests: { cpu: '500m' } }));
  assert.deepEqual(plan.newNodes[0]!.instanceTypes, ['cpu-4', 'cpu-2', 'cpu-1']);
  assert.equal(plan.pricePerHour, 0.25);
});

test('02/38 02/147 a pod for which no single type has all resources fails; none of an unknown one is asked for nothing', () => {
  const both = makePod('both', { requests: { 'fake.com/vendor-a': '1', 'fake.com/vendor-b': '1' } });
  const none = makePod('none', { requests: { 'foo.com/weird': '0' } });
  const plan = new TestEnvironment().plan(both, none);
  assert.match(failureOf(plan, both)!, /^no instance type has enough resources, /);
  assert.deepEqual(packing(plan), [1]);
  const apart = new TestEnvironment().plan(
    makePod('a', { requests: { 'fake.com/vendor-a': '1' } }),
    makePod('b', { requests: { 'fake.com/vendor-b': '1' } }),
  );
  assert.deepEqual(packing(apart), [1, 1]);
});

test('02/42 02/150 the heaviest pool serves all, a selector overrides it, equal weights go to the later name', () => {
  const pools = [makePool('a', { weight: 20 }), makePool('b', { weight: 100 }), makePool('c')];
  const environment = new TestEnvironment({ pools });
  const poolOf = (pod: Pod) => environment.plan(pod).newNodes[0]!.nodePool;
  assert.equal(poolOf(small('x')), 'b');
  assert.equal(poolOf(makePod('x', { nodeSelector: { [NODEPOOL_LABEL]: 'a' } })), 'a');
  const equal = new TestEnvironment({ pools: [makePool('one'), makePool('two')] });
  assert.equal(equal.plan(small('x')).newNodes[0]!.nodePool, 'two');
  const labelled = new TestEnvironment({
    pools: [makePool('plain'), makePool('labelled', { labels: { foo: 'bar' } })],
  });
  assert.equal(labelled.plan(makePod('x', { nodeSelector: { foo: 'bar' } })).newNodes[0]!.nodePool, 'labelled');
});

test('02/126 the cheapest type on demand wins where only that is allowed, whatever its price on the spot market', () => {
  const type = (name: string, spot: number, onDemand: number) =>
    fakeType(name, {
      offerings: [makeOffering('test-zone-1', 'spot', spot), makeOffering('test-zone-1', 'on-demand', onDemand)],
    });
  const types = [type('cheap-spot', 0.1, 3), type('cheap-on-demand', 0.9, 1)];
  const pools = [makePool('default', { requirements: [is(CAPACITY_TYPE_LABEL, 'on-demand')] })];
  assert.deepEqual(new TestEnvironment({ types, pools }).plan(small('a')).newNodes[0]!.instanceTypes, [
    'cheap-on-demand',
    'cheap-spot',
  ]);
});

test('a node is of the capacity types that one of its types can be had as', () => {
  const types = ['2', '4'].map((cpu, i) =>
    fakeType(`cpu-${cpu}`, {
      resources: { cpu },
      offerings: [makeOffering('test-zone-1', i === 0 ? 'spot' : 'on-demand', 1)],
    }),
  );
  const capacityTypes = (cpu: string) =>
    new TestEnvironment({ types }).plan(makePod('a', { requests: { cpu } })).newNodes[0]!.capacityTypes;
  assert.deepEqual(capacityTypes('1'), ['on-demand', 'spot']);
  assert.deepEqual(capacityTypes('3'), ['on-demand']);
});

test('02/133 a run that is stopped keeps what is placed; the rest is undecided and has no failure', () => {
  const environment = new TestEnvironment();
  const pods = Array.from({ length: 4 }, (_, i) => makePod(`pod-${i}`, { requests: { cpu: '3' } }));
  const run = planSnapshot({ ...environment.snapshot, pods }, environment.options);
  let step = run.next();
  while (!step.done) step = run.next(step.value.waiting === 2 ? 'stop' : undefined);
  assert.deepEqual(packing(step.value), [2]);
  assert.equal(step.value.undecided.length, 2);
  assert.deepEqual(step.value.unschedulable, []);
});

test('02/133 a stop at whatever step ends the run there, once is enough', () => {
  const environment = new TestEnvironment();
  const snapshot = { ...environment.snapshot, pods: [small('a'), small('b')] };
  let before = 0;
  for (let steps = 0; ; steps++) {
    const run = planSnapshot(snapshot, environment.options);
    let step = run.next();
    for (let i = 0; i < steps && !step.done; i++) step = run.next();
    if (step.done) break;
    step = run.next('stop');
    while (!step.done) step = run.next();
    const placed = step.value.newNodes.flatMap(({ pods }) => pods).length;
    assert.equal(placed + step.value.undecided.length, 2);
    assert.ok(placed === before || placed === before + 1, `${placed} after ${before}`);
    before = placed;
  }
  assert.equal(before, 2);
});

test('02/135 a plan leaves the types it was given as they are', () => {
  const before = structuredClone(DEFAULT_TYPES);
  new TestEnvironment().plan(...Array.from({ length: 10 }, (_, i) => makePod(`pod-${i}`, { requests: { cpu: '1' } })));
  assert.deepEqual(DEFAULT_TYPES, before);
});

test('02/145 over ten batches at most one node has room for another pod', () => {
  const environment = new TestEnvironment({ types: [fakeType('four', { resources: { cpu: '20', pods: '4' } })] });
  let pod = 0;
  for (const size of [3, 5, 1, 7, 2, 4, 6, 1, 9, 3]) {
    environment.schedule(...Array.from({ length: size }, () => small(`pod-${pod++}`)));
  }
  assert.equal(environment.snapshot.nodes.filter(({ pods }) => pods.length < 4).length <= 1, true);
  assert.equal(environment.snapshot.nodes.length, Math.ceil(pod / 4));
});

test('02/146 25 tiny pods take five nodes of the cheapest type; three pods on a one-pod type take three', () => {
  const tiny = Array.from({ length: 25 }, (_, i) => small(`pod-${i}`));
  const plan = new TestEnvironment().plan(...tiny);
  assert.deepEqual(packing(plan), [5, 5, 5, 5, 5]);
  assert.ok(plan.newNodes.every(({ instanceTypes }) => instanceTypes[0] === 'small-instance-type'));
  const alone = new TestEnvironment({ types: [fakeType('one', { resources: { pods: '1' } })] });
  assert.deepEqual(packing(alone.plan(small('a'), small('b'), small('c'))), [1, 1, 1]);
});

test('02/148 a node with a taint nobody mentioned is passed over', () => {
  const tainted = makeNode('tainted', { taints: [{ key: 'other', value: 'x', effect: 'NoSchedule' }] });
  assert.equal(new TestEnvironment({ nodes: [tainted] }).plan(small('a')).newNodes.length, 1);
});

test('02/149 without a pool nothing is planned although a node has room', () => {
  const plan = new TestEnvironment({ pools: [], nodes: [makeNode('foreign')] }).plan(small('a'));
  assert.equal(plan.existingNodes.length + plan.newNodes.length, 0);
  assert.equal(plan.unschedulable.length, 1);
});

test('02/161 three pods of one size share a node, and each type listed holds them', () => {
  const types = ladder(100);
  for (const [cpu, memory] of [
    ['100m', '100Mi'],
    ['2', '8Gi'],
    ['16', '32Gi'],
  ] as const) {
    const pods = ['a', 'b', 'c'].map((name) => makePod(name, { requests: { cpu, memory } }));
    const plan = new TestEnvironment({ types }).plan(...pods);
    assert.deepEqual(packing(plan), [3]);
    const cpus = cpu === '100m' ? 0.1 : Number(cpu);
    for (const name of plan.newNodes[0]!.instanceTypes)
      assert.ok(Number(name.slice('fake-it-'.length)) + 0.9 >= 3 * cpus);
  }
});

test('02/193 whatever pool and pod ask for, every type listed matches and the cheapest possible is the first', () => {
  const prices = [0.5, 0.2, 0.9, 0.4];
  const types = ['amd64', 'arm64'].flatMap((arch) =>
    prices.map((price, i) =>
      fakeType(`${arch}-${i}`, {
        arch,
        offerings: [
          makeOffering(`test-zone-${(i % 2) + 1}`, 'spot', price / 2),
          makeOffering(`test-zone-${(i % 2) + 1}`, 'on-demand', price),
        ],
      }),
    ),
  );
  for (const arch of [undefined, 'arm64']) {
    for (const zone of [undefined, 'test-zone-1', 'test-zone-2']) {
      for (const capacityType of [undefined, 'on-demand']) {
        const asked = { [ARCH_LABEL]: arch, [ZONE_LABEL]: zone, [CAPACITY_TYPE_LABEL]: capacityType };
        const nodeSelector = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
        const [node] = new TestEnvironment({ types }).plan(
          makePod('a', { nodeSelector: nodeSelector as never }),
        ).newNodes;
        const expected = types.filter(
          (type) =>
            (arch === undefined || type.name.startsWith(arch)) &&
            (zone === undefined || type.offerings[0]!.requirements[0]!.values![0] === zone),
        );
        assert.deepEqual([...node!.instanceTypes].sort(), expected.map(({ name }) => name).sort());
        const least = Math.min(
          ...expected.map(({ offerings }) => offerings[capacityType === undefined ? 0 : 1]!.pricePerHour),
        );
        assert.equal(node!.pricePerHour, least);
      }
    }
  }
  const impossible = makePod('x', { nodeSelector: { [ARCH_LABEL]: 'mips' } });
  assert.equal(new TestEnvironment({ types }).plan(impossible).newNodes.length, 0);
});

test('a pod that is one size larger than any type says so, and that m was perhaps meant for M', () => {
  const pod = makePod('huge', { requests: { cpu: '2M' } });
  const text = failureOf(new TestEnvironment().plan(pod), pod)!;
  assert.match(text, /^no instance type has enough resources, requirements=.*, resources=\{"cpu":"2M","pods":"1"\} /);
  assert.match(text, / \(CPU request >= 1 Million, m vs M typo\?\)$/);
  const foreign = makePod('foreign', { requests: { cpu: '2M' }, nodeSelector: { [ARCH_LABEL]: 'mips' } });
  assert.doesNotMatch(failureOf(new TestEnvironment().plan(foreign), foreign)!, /typo/);
});

test('the requirements of a planned node name its pool, its class and what its pods asked for', () => {
  const [node] = new TestEnvironment().plan(inZones('a', 'test-zone-1')).newNodes;
  assert.deepEqual(valuesOf(node!, NODEPOOL_LABEL), ['default']);
  assert.deepEqual(valuesOf(node!, 'karpenter.kwok.sh/kwoknodeclass'), ['default']);
  assert.deepEqual(valuesOf(node!, ZONE_LABEL), ['test-zone-1']);
  assert.equal(valuesOf(node!, INSTANCE_TYPE_LABEL), undefined);
});

function inZones(name: string, ...zones: readonly string[]) {
  const matchExpressions = [{ key: ZONE_LABEL, operator: 'In', values: zones }];
  return makePod(name, {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });
}

const onRack = (name: string, cpu: string, operator: string, ...values: readonly string[]) =>
  makePod(name, { requests: { cpu }, affinity: onNodes([where('rack', operator, ...values)]) });
const names = (plan: ReturnType<TestEnvironment['plan']>) =>
  plan.newNodes.map(({ pods }) => pods.map(({ pod }) => pod.metadata.name));

test('a pod that asks for a label no pool has joins a planned node that another pod gives the label, whoever came first', () => {
  const [plain, giving] = [makePod('plain', { requests: { cpu: '1' } }), onRack('giving', '500m', 'NotIn', '4')];
  for (const cpu of ['900m', '100m']) {
    const pods = [plain, onRack('asking', cpu, 'Exists'), giving];
    assert.deepEqual(new TestEnvironment().plan(...pods).unschedulable, []);
    assert.equal(new TestEnvironment().plan(...pods).newNodes.length, 1);
  }
  const twice = [plain, onRack('first', '900m', 'Gt', '5'), onRack('second', '800m', 'Lt', '9'), giving];
  assert.deepEqual(new TestEnvironment().plan(...twice).unschedulable, []);
});

test('once pods on a planned node need a label, none that wants it absent joins them', () => {
  const pods = [
    onRack('giving', '1', 'NotIn', '4'),
    onRack('asking', '900m', 'Exists'),
    onRack('without', '800m', 'DoesNotExist'),
  ];
  assert.deepEqual(names(new TestEnvironment().plan(...pods)), [['giving', 'asking'], ['without']]);
  const racks = [
    onRack('above', '1', 'NotIn', '4'),
    onRack('b', '900m', 'Gt', '3'),
    onRack('c', '800m', 'Lt', '6'),
    onRack('d', '700m', 'NotIn', '5'),
  ];
  assert.deepEqual(names(new TestEnvironment().plan(...racks)), [['above', 'b', 'c'], ['d']]);
});

test('a pod is put on the node of a pool that offers its label, not on a node where another merely spoke of it', () => {
  const environment = new TestEnvironment({
    pools: [makePool('p'), makePool('numbered', { labels: { rack: '7' } })],
    nodes: [makeNode('n1', { allocatable: { cpu: '16', memory: '64Gi', pods: '110' } })],
  });
  const plan = environment.plan(
    onRack('c', '2', 'NotIn', '4'),
    makePod('b', { requests: { cpu: '1' }, nodeSelector: { rack: '7' } }),
  );
  assert.deepEqual(
    plan.existingNodes.map(({ pods }) => pods.map(({ pod }) => pod.metadata.name)),
    [['c']],
  );
  assert.deepEqual(
    plan.newNodes.map(({ nodePool }) => nodePool),
    ['numbered'],
  );
});
