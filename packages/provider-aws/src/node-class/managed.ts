import type { NodeClaim, NodePool } from '@karpenter-ts/apis';
import { EC2_NODE_CLASSES } from './node-class-lookup.ts';

// A cluster may have objects of another provider's Karpenter, which are none of our business.

/** Whether the NodeClaim is launched by this provider. */
export function isManagedNodeClaim({ spec }: NodeClaim): boolean {
  return isOurs(spec.nodeClassRef);
}

/** Whether NodeClaims of the NodePool are launched by this provider. */
export function isManagedNodePool({ spec }: NodePool): boolean {
  return isOurs(spec.template.spec.nodeClassRef);
}

function isOurs({ group, kind }: NodeClaim['spec']['nodeClassRef']): boolean {
  return group === EC2_NODE_CLASSES.group && kind === EC2_NODE_CLASSES.kind;
}
