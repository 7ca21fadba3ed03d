import type { NodeClassKind } from '@karpenter-ts/cloudprovider';
import { type ApiObject, apiVersionOf } from '@karpenter-ts/kubernetes';
import { KWOK_NODE_CLASSES } from '@karpenter-ts/provider-kwok';
import { CLUSTER, EC2_NODE_CLASSES, ROLES } from '../cloud/aws-cloud.ts';
import type { WorldPlan } from '../plan/world-plan.ts';

/** The NodeClass of all pools. */
export const NODE_CLASS = 'default';

/** What everything of the cluster's network is tagged with. */
const DISCOVERY = [{ tags: { 'karpenter.sh/discovery': CLUSTER } }];

/** What the NodeClass of AWS begins with. */
export const EC2_SPEC = {
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  subnetSelectorTerms: DISCOVERY,
  securityGroupSelectorTerms: DISCOVERY,
  role: ROLES[0],
};

export function nodeClassesOf(cloud: WorldPlan['cloud']): NodeClassKind {
  return cloud === 'aws' ? EC2_NODE_CLASSES : KWOK_NODE_CLASSES;
}

export function nodeClass(cloud: WorldPlan['cloud']): ApiObject {
  const type = nodeClassesOf(cloud);
  const spec = cloud === 'aws' ? EC2_SPEC : { nodeRegistrationDelay: '20s' };
  const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name: NODE_CLASS }, spec };
  return object;
}
