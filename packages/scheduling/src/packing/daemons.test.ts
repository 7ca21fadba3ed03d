import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatQuantity, type Pod, type PodSpec } from '@karpenter-ts/kubernetes';
import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { daemonPodOf } from '../model/pods/daemon-set.ts';
import type { PlannedNode } from '../plan.ts';
import { makeNode, makePod, makePool } from '../testing/builders.ts';
import { fakeType } from '../testing/fake-types.ts';
import { onNodes, preferNodes, where } from '../testing/pod-parts.ts';
import { packing, TestEnvironment } from '../testing/test-environment.ts';

const daemon = (spec: PodSpec & { requests?: Record<string, string> }, name = 'daemon'): Pod => {
  const pod = makePod(name, spec);
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: name };
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
};
const requestsOf = ({ requests }: PlannedNode) =>
  Object.fromEntries([...requests].map(([name, quantity]) => [name, formatQuantity(quantity)]));
const ladderTypes = [2, 4, 16].map((cpus) =>
  fakeType(`cpu-${cpus}`, { resources: { cpu: String(cpus), memory: `${cpus}Gi`, pods: '20' } }),
);
const plannedFor = (daemonPods: readonly Pod[], pools = [makePool('default')]) =>
  new TestEnvironment({ daemonPods, pools, types: ladderTypes }).plan(
    makePod('a', { requests: { cpu: '1', memory: '1Gi' } }),
  );

test('02/61 a node has room for its daemons too; one too large for any type keeps all pods off', () => {
  assert.equal(plannedFor([daemon({ requests: { cpu: '2', memory: '2Gi' } })]).newNodes[0]!.instanceTypes[0], 'cpu-4');
  assert.equal(plannedFor([daemon({ requests: { cpu: '10000' } })]).newNodes.length, 0);
});

test('02/62 a daemon made from its template asks for what it is limited to', () => {
  const resources = { requests: { cpu: '1' }, limits: { cpu: '10000', memory: '10000Gi' } };
  const daemonSet = (containers: PodSpec['containers'] & {}) => ({
    metadata: { name: 'agent', namespace: 'kube-system' },
    spec: { template: { spec: { containers } } },
  });
  const greedy = daemonPodOf(daemonSet([{ resources }]), undefined);
  assert.deepEqual(greedy.spec.containers![0]!.resources!.requests, { cpu: '1', memory: '10000Gi' });
  assert.equal(plannedFor([greedy]).newNodes.length, 0);
  assert.equal(plannedFor([daemonPodOf(daemonSet([{}]), undefined)]).newNodes.length, 1);
});

test('02/63 a real pod of a daemon counts as it is, on the nodes its template is for', () => {
  const affinity = onNodes([where('size', 'In', 'large')]);
  const template = { spec: { containers: [{ resources: { requests: { cpu: '10' } } }], affinity } };
  const pinned = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['some-node'] }] };
  const real = daemon({
    requests: { cpu: '2' },
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [pinned] } } },
  });
  const pod = daemonPodOf({ metadata: { name: 'agent' }, spec: { template } }, real);
  assert.deepEqual(pod.spec.affinity, affinity);
  const [node] = plannedFor([pod]).newNodes;
  assert.deepEqual(node!.instanceTypes, ['cpu-2', 'cpu-4', 'cpu-16']); // only the last is large, and 3 cpus fit
  const anywhere = daemonPodOf({ metadata: { name: 'agent' }, spec: { template: { spec: {} } } }, real);
  assert.equal(requestsOf(plannedFor([anywhere]).newNodes[0]!)['cpu'], '3');
});

test('02/62 a daemon without any request takes no more than a place', () => {
  const [node] = plannedFor([daemon({})]).newNodes;
  assert.deepEqual(requestsOf(node!), { cpu: '1', memory: '1Gi', pods: '2' });
});

test('02/159 a daemon needs the larger of its containers and its init containers', () => {
  const limits = { cpu: '10000', memory: '3Gi' };
  const pod: Pod = {
    ...daemon({}),
    spec: {
      containers: [{ resources: { requests: { cpu: '1' }, limits: { cpu: '10000', memory: '1Gi' } } }],
      initContainers: [{ resources: { requests: { cpu: '3', memory: '3Gi' }, limits } }],
    },
  };
  assert.deepEqual(requestsOf(plannedFor([pod]).newNodes[0]!), { cpu: '4', memory: '4Gi', pods: '2' });
});

test('02/64 a daemon that will not run on the pool is not counted; one that asks for its label is', () => {
  const tainted = makePool('default', { taints: [{ key: 'team', effect: 'NoSchedule' }] });
  const tolerant = makePod('a', { requests: { cpu: '1' }, tolerations: [{ operator: 'Exists' }] });
  const size = { requests: { cpu: '2' } };
  const cpu = (daemonPods: readonly Pod[], pool = makePool('default')) =>
    requestsOf(new TestEnvironment({ daemonPods, pools: [pool], types: ladderTypes }).plan(tolerant).newNodes[0]!)[
      'cpu'
    ];
  assert.equal(cpu([daemon(size)], tainted), '1');
  assert.equal(cpu([daemon({ ...size, nodeSelector: { unknown: 'x' } })]), '1');
  assert.equal(cpu([daemon({ ...size, nodeSelector: { [INSTANCE_TYPE_LABEL]: 'none-such' } })]), '1');
  const labelled = makePool('default', { labels: { team: 'a' } });
  assert.equal(cpu([daemon({ ...size, nodeSelector: { team: 'a' } })], labelled), '3');
});

test('02/65 02/160 any required term will do, preferences and soft or startup taints do not count', () => {
  const size = { requests: { cpu: '2' } };
  const cpu = (pod: Pod, pool = makePool('default')) => requestsOf(plannedFor([pod], [pool]).newNodes[0]!)['cpu'];
  const second = onNodes([where('unknown', 'In', 'x')], [where(ZONE_LABEL, 'In', 'test-zone-1')]);
  assert.equal(cpu(daemon({ ...size, affinity: second })), '3');
  assert.equal(cpu(daemon({ ...size, affinity: preferNodes([1, where(ZONE_LABEL, 'In', 'nowhere')]) })), '3');
  const soft = makePool('default', { taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] });
  assert.equal(cpu(daemon(size), soft), '3');
  assert.equal(cpu(daemon({ ...size, affinity: onNodes([where('unknown', 'NotIn', 'x')]) })), '3');
  const { template } = makePool('default').spec;
  const startup = [{ key: 'starting', effect: 'NoSchedule' as const }];
  const starting = {
    ...makePool('default'),
    spec: {
      ...makePool('default').spec,
      template: { ...template, spec: { ...template.spec, startupTaints: startup } },
    },
  };
  assert.equal(cpu(daemon(size), starting), '3');
});

test('02/66 types carry only the daemons that run on them', () => {
  const small = daemon({ requests: { cpu: '1' }, nodeSelector: { size: 'small' } }, 'for-small');
  const large = daemon({ requests: { cpu: '10' }, nodeSelector: { size: 'large' } }, 'for-large');
  const [node] = plannedFor([small, large]).newNodes;
  assert.deepEqual(node!.instanceTypes, ['cpu-4', 'cpu-16']); // 4: 1 + 1; 16: 1 + 10; 2: 1.9 is too little
  assert.equal(requestsOf(node!)['cpu'], '2'); // the least of both
});

test('02/67 a daemon may wait for the node to be registered and initialised', () => {
  const waiting = onNodes([
    where('karpenter.sh/registered', 'In', 'true'),
    where('karpenter.sh/initialized', 'In', 'true'),
  ]);
  assert.equal(
    requestsOf(plannedFor([daemon({ requests: { cpu: '2' }, affinity: waiting })]).newNodes[0]!)['cpu'],
    '3',
  );
});

test('02/68 what a daemon already holds on a node is not set aside again', () => {
  const one = { requests: { cpu: '1' } };
  const room = { cpu: '16', memory: '16Gi', pods: '20' };
  const fits = (daemonPods: readonly Pod[], pods: readonly Pod[], cpu: string) => {
    const labels = { [ZONE_LABEL]: 'test-zone-1', 'kubernetes.io/hostname': 'n' };
    const environment = new TestEnvironment({
      daemonPods,
      nodes: [makeNode('n', { allocatable: room, pods, labels })],
    });
    return environment.plan(makePod('a', { requests: { cpu } })).existingNodes.length === 1;
  };
  assert.ok(fits([daemon(one)], [daemon(one, 'running')], '14.9'));
  assert.ok(fits([daemon(one)], [daemon(one, 'running')], '15'));
  assert.equal(fits([daemon(one)], [], '15.1'), false);
  assert.ok(fits([daemon(one)], [], '15'));
  assert.ok(fits([], [daemon(one, 'unexpected')], '15'));
  assert.equal(fits([daemon(one)], [daemon({ requests: { cpu: '2' } }, 'larger')], '14.5'), false);
  const ownedBy = (apiVersion: string, kind: string): Pod => {
    const pod = makePod('other', one);
    return { ...pod, metadata: { ...pod.metadata, ownerReferences: [{ apiVersion, kind, name: 'x', uid: 'x' }] } };
  };
  assert.ok(fits([daemon(one)], [ownedBy('apps/v1', 'DaemonSet')], '15'));
  assert.equal(fits([daemon(one)], [ownedBy('apps/v1', 'ReplicaSet')], '15'), false);
  assert.equal(fits([daemon(one)], [ownedBy('example.com/v1', 'DaemonSet')], '15'), false);
  const elsewhere = daemon({ ...one, nodeSelector: { [ZONE_LABEL]: 'test-zone-2' } });
  assert.ok(fits([elsewhere], [], '16'));
  const typed = daemon({ ...one, nodeSelector: { size: 'small' } });
  assert.ok(fits([typed], [], '16')); // the node does not say its size
});

test('02/69 a node asks for its pods and the daemons on it', () => {
  const types = [fakeType('only', { resources: { cpu: '8', pods: '10' } })];
  const environment = new TestEnvironment({ daemonPods: [daemon({ requests: { cpu: '1' } })], types });
  const plan = environment.plan(makePod('a', { requests: { cpu: '1' } }), makePod('b', { requests: { cpu: '1' } }));
  assert.deepEqual(requestsOf(plan.newNodes[0]!), { cpu: '3', pods: '3' });
});

test('the requests of a node are written as the first pod that asks for some has them', () => {
  const written = (...amounts: readonly string[]) => {
    const pods = amounts.map((memory, i) =>
      makePod(`p-${i}`, { requests: { cpu: String(amounts.length - i), memory } }),
    );
    const types = [fakeType('only', { resources: { cpu: '20', memory: '20Gi' } })];
    return requestsOf(new TestEnvironment({ types }).plan(...pods).newNodes[0]!)['memory'];
  };
  assert.equal(written('1Gi', '1024Mi'), '2Gi');
  assert.equal(written('0', '1Gi', '1073741824'), '2Gi');
  assert.equal(written('1073741824', '1Gi'), '2147483648');
});

test('02/131 devices by claim: pods are refused, daemons not counted, unless claims are let in', () => {
  const claims = { resourceClaims: [{ name: 'gpu' }] };
  const claiming = [
    makePod('by-pod', claims),
    makePod('by-container', { containers: [{ resources: { claims: [{ name: 'gpu' }] } }] }),
    makePod('by-init', { initContainers: [{ resources: { claims: [{ name: 'gpu' }] } }] }),
  ];
  const plan = new TestEnvironment().plan(...claiming, makePod('plain'));
  assert.deepEqual(
    plan.unschedulable.map(({ failure }) => failure.why),
    ['DynamicResources', 'DynamicResources', 'DynamicResources'],
  );
  assert.deepEqual(packing(plan), [1]);
  const cpu = (ignoreDraRequests: boolean) => {
    const daemonPods = [daemon({ requests: { cpu: '3' }, ...claims })];
    const environment = new TestEnvironment({ daemonPods, types: ladderTypes, options: { ignoreDraRequests } });
    return requestsOf(environment.plan(makePod('a', { requests: { cpu: '1' } })).newNodes[0]!)['cpu'];
  };
  assert.equal(cpu(true), '1');
  assert.equal(cpu(false), '4');
});

test('02/70 a host port is taken once per node, by daemons too, and only where they run', () => {
  const port = { containers: [{ ports: [{ hostPort: 8080 }] }] };
  assert.deepEqual(packing(new TestEnvironment().plan(makePod('a', port), makePod('b', port))), [1, 1]);
  assert.equal(new TestEnvironment({ daemonPods: [daemon(port)] }).plan(makePod('a', port)).newNodes.length, 0);
  const onLarge = daemon({ ...port, nodeSelector: { size: 'large' } });
  const [node] = new TestEnvironment({ daemonPods: [onLarge], types: ladderTypes }).plan(makePod('a', port)).newNodes;
  assert.deepEqual(node!.instanceTypes, ['cpu-2', 'cpu-4']);
});

test('02/71 ports of other protocols or other addresses do not clash; one of every address clashes with all', () => {
  const nodesFor = (...ports: readonly { hostIP?: string; protocol?: string }[]) =>
    new TestEnvironment({ types: [fakeType('roomy', { resources: { pods: '10' } })] }).plan(
      ...ports.map((port, i) => makePod(`pod-${i}`, { containers: [{ ports: [{ hostPort: 80, ...port }] }] })),
    ).newNodes.length;
  assert.equal(nodesFor({ protocol: 'TCP' }, { protocol: 'UDP' }), 1);
  assert.equal(nodesFor({ hostIP: '1.2.3.4' }, { hostIP: '1.2.3.5' }), 1);
  assert.equal(nodesFor({ hostIP: '1.2.3.4' }, { hostIP: '0.0.0.0' }), 2);
  assert.equal(nodesFor({ hostIP: '1.2.3.4' }, { hostIP: '::' }), 2);
  assert.equal(nodesFor({}, { hostIP: '1.2.3.4' }), 2);
});

test('a port in use on an existing node keeps pods that want it off', () => {
  const spec = { containers: [{ ports: [{ hostPort: 8080 }] }] };
  const environment = new TestEnvironment({ nodes: [makeNode('busy', { pods: [makePod('holder', spec)] })] });
  assert.equal(environment.plan(makePod('a', spec)).newNodes.length, 1);
  assert.equal(environment.plan(makePod('a')).newNodes.length, 0);
});
