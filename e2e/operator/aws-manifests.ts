import { CLUSTER_NAME, NODE_ROLE } from './aws-cloud.ts';

const DISCOVERY = [{ tags: { 'karpenter.sh/discovery': CLUSTER_NAME } }];

/** An EC2NodeClass that finds everything by the tag of the cluster. */
export function nodeClassManifest(name: string): object {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: DISCOVERY,
      securityGroupSelectorTerms: DISCOVERY,
      role: NODE_ROLE,
    },
  };
}

export function nodePoolManifest(name: string): object {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name };
  const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }];
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { disruption: { consolidateAfter: 'Never' }, template: { spec: { nodeClassRef, requirements } } },
  };
}

/** One of no pool, for the cheapest type that pods are usually run on. */
export function nodeClaimManifest(name: string, nodeClass: string): object {
  const requirements = [
    { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
  ];
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClass };
  const metadata = { name };
  return { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata, spec: { nodeClassRef, requirements } };
}

/** A pod that is for the nodes of this pool. */
export function podManifest(name: string, nodePool: string): object {
  const container = { name: 'app', image: 'none', resources: { requests: { cpu: '1' } } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeSelector: { 'karpenter.sh/nodepool': nodePool },
      containers: [container],
      terminationGracePeriodSeconds: 0,
    },
  };
}
