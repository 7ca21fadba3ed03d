import { CLUSTER_NAME, NODE_ROLE } from './aws-cloud.ts';

const DISCOVERY = [{ tags: { 'karpenter.sh/discovery': CLUSTER_NAME } }];

interface NodeClassParts {
  readonly spec?: object;
  readonly status?: object;
}

/** An EC2NodeClass that finds everything by the tag of the cluster. */
export function nodeClassManifest(name: string, { spec, status }: NodeClassParts = {}): object {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: DISCOVERY,
      securityGroupSelectorTerms: DISCOVERY,
      role: NODE_ROLE,
      ...spec,
    },
    ...(status && { status }),
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
