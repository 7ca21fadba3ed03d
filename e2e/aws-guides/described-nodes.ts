// What every guide comes to, whatever it is about: nodes that their objects and their instances agree on.
import assert from 'node:assert/strict';
import { findCondition, isTrue, READY } from '@karpenter-ts/kubernetes';
import { CLUSTER_NAME } from './account.ts';
import type { LaunchedNode, Outcome } from './guide.ts';

const CONDITIONS = [
  'AMIsReady',
  'CapacityReservationsReady',
  'InstanceProfileReady',
  'PlacementGroupReady',
  'SubnetsReady',
  'SecurityGroupsReady',
  'ValidationSucceeded',
  READY,
];

export function checkOutcome(outcome: Outcome): void {
  const { guide, nodeClass, nodes } = outcome;
  for (const type of CONDITIONS) {
    assert.equal(findCondition(nodeClass, type)?.status, 'True', `${type} of the EC2NodeClass ${guide.name}`);
  }
  assert.ok(nodes.length > 0);
  for (const node of nodes) checkNode(outcome, node);
}

function checkNode({ guide, nodeClass }: Outcome, { nodeClaim, node, instance, pods }: LaunchedNode): void {
  assert.ok(pods.length > 0, `no pod of ${guide.name} runs on ${node.metadata.name}`);
  const { status = {}, spec } = nodeClass;
  const { subnets = [], amis = [], securityGroups = [], instanceProfile } = status;
  // What the class has found is what the instance has.
  assert.ok(subnets.some(({ id, zone }) => id === instance.subnetId && zone === instance.zone.name));
  assert.ok(amis.some(({ id }) => id === instance.imageId));
  const groups = instance.networkInterfaces.map(({ securityGroupIds }) => [...securityGroupIds].sort());
  for (const ids of groups) {
    assert.deepEqual(
      ids,
      securityGroups.map(({ id }) => id),
    );
  }
  assert.equal(instance.spec.IamInstanceProfile?.Name, instanceProfile);
  if (spec?.instanceProfile === undefined) assert.match(instanceProfile ?? '', new RegExp(`^${CLUSTER_NAME}_\\d+$`));
  // Whose it is.
  const pool = nodeClaim.metadata.labels?.['karpenter.sh/nodepool'] ?? '';
  assert.ok(guide.pools.includes(pool));
  const tags = Object.fromEntries(instance.tags);
  const expected = {
    ...spec?.tags,
    Name: node.metadata.name,
    'eks:eks-cluster-name': CLUSTER_NAME,
    [`kubernetes.io/cluster/${CLUSTER_NAME}`]: 'owned',
    'karpenter.k8s.aws/ec2nodeclass': nodeClass.metadata.name,
    'karpenter.sh/nodepool': pool,
    'karpenter.sh/nodeclaim': nodeClaim.metadata.name,
  };
  for (const [key, value] of Object.entries(expected)) assert.equal(tags[key], value, `the tag ${key}`);
  // NodeClaim and Node are of this instance.
  const providerId = `aws:///${instance.zone.name}/${instance.id}`;
  assert.deepEqual([nodeClaim.status?.providerID, node.spec?.providerID], [providerId, providerId]);
  assert.equal(nodeClaim.status?.imageID, instance.imageId);
  const labels = {
    'karpenter.sh/nodepool': pool,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'karpenter.k8s.aws/ec2nodeclass': nodeClass.metadata.name,
    'kubernetes.io/arch': instance.architecture === 'arm64' ? 'arm64' : 'amd64',
    'kubernetes.io/os': instance.platform,
    'node.kubernetes.io/instance-type': instance.instanceType,
    'karpenter.k8s.aws/instance-family': instance.instanceType.split('.')[0],
    'topology.kubernetes.io/zone': instance.zone.name,
    'topology.k8s.aws/zone-id': instance.zone.id,
    'topology.kubernetes.io/region': instance.place.region,
  };
  for (const [key, value] of Object.entries(labels)) {
    assert.equal(node.metadata.labels?.[key], value, `the label ${key} of the Node`);
  }
  for (const [key, value] of Object.entries(nodeClaim.metadata.labels ?? {})) {
    assert.equal(node.metadata.labels?.[key], value, `the label ${key} of the NodeClaim`);
  }
  assert.deepEqual(node.spec?.taints ?? [], nodeClaim.spec.taints ?? []);
  // It is ready, and has at least what was promised to the pods.
  assert.equal(isTrue(node, READY), true);
  for (const type of ['Launched', 'Registered', 'Initialized', READY])
    assert.equal(isTrue(nodeClaim, type), true, type);
}
