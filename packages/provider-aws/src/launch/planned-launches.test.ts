// From pods to instances: what the planner asks for, and what a launch makes of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AWS_PROFILE, type EC2NodeClass, serializeRequirements } from '@karpenter-ts/apis';
import { formatQuantity, type Pod } from '@karpenter-ts/kubernetes';
import {
  DEFAULT_PLANNING,
  EMPTY_SNAPSHOT,
  finish,
  type PlannedNode,
  planSnapshot,
  type Pool,
} from '@karpenter-ts/scheduling';
import { makePod, makePool } from '@karpenter-ts/scheduling/testing';
import { subnetsIn } from '../offerings/testing/type-environment.ts';
import { claim, launchEnvironment, readyNodeClass } from '../testing/launch-environment.ts';

type Environment = Awaited<ReturnType<typeof launchEnvironment>>;

interface Cluster {
  readonly pods: readonly Pod[];
  readonly daemonPods?: readonly Pod[];
}

/** The nodes that are bought for the pods, if each NodePool is one for the NodeClass of its name. */
function plan(
  environment: Environment,
  nodeClasses: readonly EC2NodeClass[],
  cluster: Cluster,
): readonly PlannedNode[] {
  const pools = nodeClasses.flatMap((nodeClass): readonly Pool[] => {
    try {
      return [{ nodePool: makePool(nodeClass.metadata.name), instanceTypes: environment.list(nodeClass) }];
    } catch {
      return []; // a pool without types is not planned for
    }
  });
  const snapshot = { ...EMPTY_SNAPSHOT, daemonPods: [], ...cluster, pools };
  return finish(planSnapshot(snapshot, { ...DEFAULT_PLANNING, profile: AWS_PROFILE })).newNodes;
}

/** Launches a planned node, as the NodeClaim that is made for it. */
async function launch(environment: Environment, node: PlannedNode) {
  const fromNode = serializeRequirements(node.requirements).filter(({ key }) => AWS_PROFILE.wellKnownLabels.has(key));
  const requests = Object.fromEntries([...node.requests].map(([name, amount]) => [name, formatQuantity(amount)]));
  const ofTypes = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [...node.instanceTypes] };
  const nodeClaim = claim({
    nodeClass: node.nodePool,
    labels: { 'karpenter.sh/nodepool': node.nodePool },
    requirements: [...fromNode, ofTypes] as never,
    resources: { requests },
  });
  return environment.create(nodeClaim);
}

const podsWith = (count: number, storage: string): readonly Pod[] =>
  Array.from({ length: count }, (_, index) =>
    makePod(`pod-${index}`, { requests: { cpu: '100m', 'ephemeral-storage': storage } }),
  );

test('07/136 pods whose ephemeral storage exceeds one node get several, and what exceeds every type gets none', async () => {
  const nodeClass = readyNodeClass();
  const environment = await launchEnvironment({ types: ['m5.large', 'm5.xlarge'], nodeClasses: [nodeClass] });
  const nodes = plan(environment, [nodeClass], { pods: podsWith(3, '10Gi') });
  assert.deepEqual(
    nodes.map(({ pods }) => pods.length),
    [1, 1, 1],
  );
  for (const node of nodes) await launch(environment, node);
  assert.equal(environment.fleets.fleets.length, 3);
  assert.deepEqual(plan(environment, [nodeClass], { pods: podsWith(1, '100Gi') }), []);
});

test('07/136 ephemeral storage of a DaemonSet leaves less to each node', async () => {
  const nodeClass = readyNodeClass();
  const environment = await launchEnvironment({ types: ['m5.large'], nodeClasses: [nodeClass] });
  const daemonPods = [makePod('daemon', { requests: { 'ephemeral-storage': '9Gi' } })];
  assert.equal(plan(environment, [nodeClass], { pods: podsWith(2, '8Gi') }).length, 1);
  assert.equal(plan(environment, [nodeClass], { pods: podsWith(2, '8Gi'), daemonPods }).length, 2);
  const tooMuch = [makePod('daemon', { requests: { 'ephemeral-storage': '90Gi' } })];
  assert.equal(plan(environment, [nodeClass], { pods: podsWith(1, '1Gi'), daemonPods: tooMuch }).length, 0);
});

test('07/136 a larger volume, or local disks that are made one, hold what the root volume does not', async () => {
  const large = readyNodeClass({
    name: 'large',
    spec: { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '200Gi' } }] },
  });
  const local = readyNodeClass({ name: 'local', spec: { instanceStorePolicy: 'RAID0' } });
  const environment = await launchEnvironment({ types: ['m5.large', 'm5d.large'], nodeClasses: [large, local] });
  const [onVolume] = plan(environment, [large], { pods: podsWith(1, '100Gi') });
  assert.deepEqual([...onVolume!.instanceTypes].sort(), ['m5.large', 'm5d.large']);
  const { status } = await launch(environment, onVolume!);
  assert.equal(status?.capacity?.['ephemeral-storage'], '200Gi');
  const [onDisk] = plan(environment, [local], { pods: podsWith(1, '50Gi') });
  assert.deepEqual(onDisk!.instanceTypes, ['m5d.large']);
  assert.equal((await launch(environment, onDisk!)).status?.capacity?.['ephemeral-storage'], '75G');
});

test('07/132 pods go to the NodePool whose NodeClass selects subnets, and its launch uses these', async () => {
  const without = readyNodeClass({ name: 'without', status: { subnets: [] } });
  const present = readyNodeClass({ name: 'present', status: { subnets: subnetsIn('b') } });
  const environment = await launchEnvironment({ types: ['m5.large'], nodeClasses: [without, present] });
  const [node] = plan(environment, [without, present], { pods: [makePod('pod', { requests: { cpu: '1' } })] });
  assert.equal(node?.nodePool, 'present');
  const { metadata } = await launch(environment, node);
  assert.equal(metadata.labels!['topology.kubernetes.io/zone'], 'us-west-2b');
  assert.equal(environment.fleets.overrides[0]!.SubnetId, 'subnet-b');
});

test('07/65, 08/9 two pods use the subnet with more addresses, the third the other', async () => {
  // The status has the subnet with more addresses first.
  const subnets = ['subnet-2', 'subnet-1'].map((id) => ({ id, zone: 'us-west-2a', zoneID: 'usw2-az1' }));
  const nodeClass = readyNodeClass({ spec: { kubelet: { maxPods: 1 } }, status: { subnets } });
  const environment = await launchEnvironment({ types: ['m5.large'], nodeClasses: [nodeClass] });
  environment.addresses.listed('subnet-1', 10);
  environment.addresses.listed('subnet-2', 11);
  const used: unknown[] = [];
  for (const node of plan(environment, [nodeClass], { pods: podsWith(3, '1Gi') })) {
    await launch(environment, node);
    used.push(environment.fleets.overrides[0]!.SubnetId);
  }
  assert.deepEqual(used, ['subnet-2', 'subnet-2', 'subnet-1']);
});
