import {
  EC2_NODE_CLASS_CONDITIONS,
  EC2_NODE_CLASS_CONDITIONS_WITH_RESERVATIONS,
  type EC2NodeClass,
  type Ec2NodeClassCondition,
} from '@karpenter-ts/apis';
import type { ConditionRules } from '@karpenter-ts/kubernetes';

/** What the status of a NodeClass follows from, as a key: uid and generation. */
export function generationKey({ metadata }: Pick<EC2NodeClass, 'metadata'>): string {
  return `${metadata.uid}-${metadata.generation}`;
}

export type NodeClassSpec = NonNullable<EC2NodeClass['spec']>;
export type NodeClassStatus = NonNullable<EC2NodeClass['status']>;
/** `spec.kubelet` of a NodeClass. */
export type KubeletConfiguration = NonNullable<NodeClassSpec['kubelet']>;
export type AmiSelectorTerm = NonNullable<NodeClassSpec['amiSelectorTerms']>[number];
export type StatusAmi = NonNullable<NodeClassStatus['amis']>[number];

/** The conditions that a NodeClass is ready with (spec 08 §1.2). */
export function nodeClassConditions(reservedCapacity: boolean): ConditionRules<Ec2NodeClassCondition> {
  return reservedCapacity ? EC2_NODE_CLASS_CONDITIONS_WITH_RESERVATIONS : EC2_NODE_CLASS_CONDITIONS;
}
