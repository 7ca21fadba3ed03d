// What is in the cluster of the bench: a NodeClass, a NodePool of spot instances, and pods that need a node each.
import { AWS_GROUP, NODE_POOLS } from '@karpenter-ts/apis';
import { type ApiObject, apiVersionOf, DEPLOYMENTS, type ResourceType } from '@karpenter-ts/kubernetes';

/** Of the cluster. */
export const NAME = 'bench';
export const QUEUE = 'interruptions';
export const PROFILE = 'bench-profile';

const NODE_CLASSES: ResourceType = {
  group: AWS_GROUP,
  version: 'v1',
  plural: 'ec2nodeclasses',
  kind: 'EC2NodeClass',
  namespaced: false,
};

type Creation = readonly [type: ResourceType, object: ApiObject];

export function poolManifests(): readonly Creation[] {
  const discovery = [{ tags: { 'karpenter.sh/discovery': NAME } }];
  const nodeClass = {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: discovery,
    securityGroupSelectorTerms: discovery,
    instanceProfile: PROFILE,
  };
  const nodeClassRef = { group: AWS_GROUP, kind: NODE_CLASSES.kind, name: 'default' };
  const spot = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] };
  const nodePool = {
    disruption: { consolidateAfter: 'Never' },
    template: { spec: { nodeClassRef, requirements: [spot], expireAfter: 'Never' } },
  };
  return [creation(NODE_CLASSES, 'default', nodeClass), creation(NODE_POOLS, 'default', nodePool)];
}

/** Pods of which no two fit on a node. */
export function podManifests(name: string, replicas: number): Creation {
  const labels = { app: name };
  const container = { name: 'main', image: 'none', resources: { requests: { cpu: '1100m' } } };
  const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } };
  const [type, object] = creation(DEPLOYMENTS, name, { replicas, selector: { matchLabels: labels }, template });
  return [type, { ...object, metadata: { ...object.metadata, namespace: 'default' } }];
}

function creation(type: ResourceType, name: string, spec: object): Creation {
  return [type, { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name }, spec } as ApiObject];
}
