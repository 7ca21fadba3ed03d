import { CLUSTER_NAME, NODE_ROLE } from '../aws-guides/account.ts';

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
