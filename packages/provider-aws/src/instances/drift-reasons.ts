import { type EC2NodeClass, INSTANCE_TYPE_LABEL, type NodeClaim } from '@karpenter-ts/apis';
import { StructuredError } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { chooseImage } from '../images/choose-image.ts';
import type { Instance } from './instance.ts';

// Whether one thing about an instance still is what its NodeClass asks for (spec 07 §20). What is missing for an answer
// is an error: an instance must not be replaced because something could not be looked up.

/** Whether the instance would be launched from another image today. */
export function hasOtherImage(nodeClaim: NodeClaim, types: readonly InstanceType[], { status }: EC2NodeClass): boolean {
  const name = nodeClaim.metadata.labels?.[INSTANCE_TYPE_LABEL] ?? '';
  const type = types.find((one) => one.name === name);
  if (type === undefined) throw new StructuredError('finding node instance type', { 'instance-type': name });
  const { amis = [] } = status ?? {};
  if (amis.length === 0) throw new Error('no amis exist given constraints');
  const { imageID } = nodeClaim.status ?? {};
  if (!imageID) throw new Error('no ami ID found in nodeClaim status');
  return chooseImage(type.requirements, amis)?.id !== imageID;
}

/** Whether the instance has other security groups: more, fewer or different ones. */
export function hasOtherSecurityGroups({ securityGroupIds }: Instance, { status }: EC2NodeClass): boolean {
  const wanted = new Set(status?.securityGroups?.map(({ id }) => id));
  if (wanted.size === 0) throw new Error('no security groups are present in the status');
  return wanted.symmetricDifference(new Set(securityGroupIds)).size > 0;
}

/** Whether the instance is in a subnet that is no longer selected. */
export function isInOtherSubnet({ subnetId }: Instance, { status }: EC2NodeClass): boolean {
  const { subnets = [] } = status ?? {};
  if (subnets.length === 0) throw new Error('no subnets are discovered');
  return !subnets.some(({ id }) => id === subnetId);
}

/** Whether the instance draws on a reservation that is no longer selected. */
export function isInOtherReservation({ reservation }: Instance, { status }: EC2NodeClass): boolean {
  if (reservation === undefined) return false;
  return !(status?.capacityReservations ?? []).some(({ id }) => id === reservation.id);
}
